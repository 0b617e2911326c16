import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import {
  CreateUserRequest,
  GetJwksResponse,
  GetUserRequest,
  GetUserResponse,
  type IdentityServiceService,
} from '@daycare/contracts/identity';
import type { Handlers } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import {
  startTestGateway,
  untilDisconnected,
  type TestGateway,
} from '../test-support/test-gateway';
import { EnvelopeSplitter, frame } from './envelopes';

const identity = 'daycare.identity.v1.IdentityService';
const large = 'x'.repeat(4_000);
const request = Buffer.from(GetUserRequest.encode({ userId: 'u1' }).finish());

const getUser: Handlers<typeof IdentityServiceService>['getUser'] = async ({ userId }) =>
  GetUserResponse.fromPartial({ user: { id: userId } });
const getJwks = async () => GetJwksResponse.fromPartial({ jwksJson: large });

let session: ClientHttp2Session | undefined;
afterEach(() => session?.destroy());

type Headers = Readonly<Record<string, string>>;

function openGrpc({ url }: TestGateway, method: string, headers: Headers = {}): ClientHttp2Stream {
  session = connect(url);
  return session.request({
    ':method': 'POST',
    ':path': `/${identity}/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
}

/** Makes a gRPC call with this body and returns the response. */
async function callGrpc(
  gateway: TestGateway,
  method: string,
  body: Buffer,
  headers: Headers = {},
): Promise<{ status: string; message: string; encoding: string; body: Buffer }> {
  const stream = openGrpc(gateway, method, headers);
  const seen: Record<string, string> = {};
  for (const event of ['response', 'trailers'])
    stream.on(event, (fields: object) => Object.assign(seen, fields));
  const chunks: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => chunks.push(bytes)).end(body);
  await once(stream, 'close');
  const text = (name: string): string => decodeURIComponent(seen[name] ?? '');
  return {
    status: text('grpc-status'),
    message: text('grpc-message'),
    encoding: text('grpc-encoding'),
    body: Buffer.concat(chunks),
  };
}

const envelopesIn = (body: Buffer) => new EnvelopeSplitter(1 << 20).push(body);
const userIn = (bytes: Buffer) => GetUserResponse.decode(bytes).user?.id;

describe('unary RPCs over gRPC', () => {
  it('a gRPC call returns the service’s message', async () => {
    const gateway = await startTestGateway({ identity: { getUser } });
    const { status, body } = await callGrpc(gateway, 'GetUser', frame(0, request));
    expect([status, userIn(envelopesIn(body)[0]!.data)]).toEqual(['0', 'u1']);
    expect(gateway.outcomes).toMatchObject([{ service: identity, method: 'GetUser', code: 'OK' }]);
  });

  it.each([
    ['no message', Buffer.alloc(0), '12', 'missing input message'],
    ['two messages', Buffer.concat([frame(0, request), frame(0, request)]), '12', 'extra input'],
    ['part of a message', frame(0, request).subarray(0, 7), '3', 'incomplete envelope'],
    ['a large message', frame(0, Buffer.alloc(1 << 20)), '8', 'larger than'],
    ['a message of unknown kind', frame(2, request), '3', 'unexpected end flag'],
    ['compression but no encoding header', frame(1, gzipSync(request)), '13', 'how to decompress'],
  ])('a gRPC call with %s is refused and not forwarded', async (_, body, code, text) => {
    const gateway = await startTestGateway({ identity: { getUser } });
    const { status, message } = await callGrpc(gateway, 'GetUser', body);
    expect([status, message]).toEqual([code, expect.stringContaining(text)]);
    expect(gateway.seen).toEqual([]);
  });

  it.each([
    ['an unknown encoding', { 'grpc-encoding': 'zstd' }, '12', 'unknown compression'],
    ['an invalid timeout', { 'grpc-timeout': 'soon' }, '3', 'timeout'],
  ])(
    'a gRPC call with %s in its headers is refused and not forwarded',
    async (_, headers: Headers, code, text) => {
      const gateway = await startTestGateway({ identity: { getUser } });
      const response = await callGrpc(gateway, 'GetUser', frame(0, request), headers);
      expect([response.status, response.message]).toEqual([code, expect.stringContaining(text)]);
      expect(gateway.seen).toEqual([]);
    },
  );

  it('a gRPC call may be compressed in both directions', async () => {
    const gateway = await startTestGateway({ identity: { getUser, getJwks } });
    const sent = frame(1, gzipSync(request));
    const response = await callGrpc(gateway, 'GetUser', sent, { 'grpc-encoding': 'gzip' });
    expect(userIn(envelopesIn(response.body)[0]!.data)).toBe('u1');
    const accepting = { 'grpc-accept-encoding': 'identity,deflate,gzip' };
    const { encoding, body } = await callGrpc(
      gateway,
      'GetJwks',
      frame(0, Buffer.alloc(0)),
      accepting,
    );
    const [{ flags, data } = { flags: 0, data: body }] = envelopesIn(body);
    expect([encoding, flags]).toEqual(['gzip', 1]);
    expect(GetJwksResponse.decode(gunzipSync(data)).jwksJson).toBe(large);
  });

  it('a gRPC call with a malformed message gets the error that the service returns', async () => {
    const gateway = await startTestGateway({ identity: { getUser } });
    const { status } = await callGrpc(gateway, 'GetUser', frame(0, Buffer.from([0x0a, 0xff])));
    expect(status).toBe('13');
  });

  it('a gRPC call is cancelled in the service when its caller disconnects', async () => {
    let isCancelled = false;
    const gateway = await startTestGateway({
      identity: {
        async getUser(_, context) {
          await untilDisconnected(context);
          isCancelled = true;
          return {};
        },
      },
    });
    const stream = openGrpc(gateway, 'GetUser').on('error', () => undefined);
    stream.end(frame(0, request));
    await eventually(() => gateway.seen.length === 1);
    stream.close();
    await eventually(() => isCancelled);
    expect(gateway.outcomes).toMatchObject([{ code: 'CANCELLED' }]);
  });

  it('a gRPC call whose caller disconnects before the message is complete is not forwarded', async () => {
    const gateway = await startTestGateway({ identity: { getUser } });
    const stream = openGrpc(gateway, 'GetUser').on('error', () => undefined);
    stream.write(frame(0, request).subarray(0, 7));
    stream.close();
    await once(stream, 'close');
    const { status } = await callGrpc(gateway, 'GetUser', frame(0, request));
    expect([status, gateway.seen.length]).toEqual(['0', 1]);
  });
});

it('a gRPC call over HTTP/1.1 gets its status in the trailers', async () => {
  const gateway = await startTestGateway({ identity: { getUser } });
  const headers = { 'content-type': 'application/grpc', te: 'trailers' };
  const sent = httpRequest(`${gateway.url}/${identity}/GetUser`, { method: 'POST', headers });
  sent.end(frame(0, request));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  expect(response.trailers['grpc-status']).toBe('0');
});

it('an error over gRPC-Web is the last message of the response', async () => {
  const gateway = await startTestGateway({
    identity: {
      getUser: async () => {
        throw new AppError('NOT_FOUND', 'There is no such user');
      },
    },
  });
  const response = await fetch(`${gateway.url}/${identity}/GetUser`, {
    method: 'POST',
    body: new Uint8Array(frame(0, request)),
    headers: { 'content-type': 'application/grpc-web+proto' },
  });
  expect(response.headers.get('content-type')).toBe('application/grpc-web+proto');
  const [last] = envelopesIn(Buffer.from(await response.arrayBuffer()));
  expect(last?.flags).toBe(0x80);
  expect(last?.data.toString()).toMatch(/grpc-status: 5\r\n/);
});

describe('unary RPCs over Connect', () => {
  const postProto = ({ url }: TestGateway, method: string, body: Buffer, headers: Headers = {}) =>
    fetch(`${url}/${identity}/${method}`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/proto', ...headers },
    });

  it('a Connect call may use protobuf instead of JSON', async () => {
    const gateway = await startTestGateway({ identity: { getUser } });
    const response = await postProto(gateway, 'GetUser', request);
    expect(response.headers.get('content-type')).toBe('application/proto');
    expect(userIn(Buffer.from(await response.arrayBuffer()))).toBe('u1');
  });

  it('a Connect call may be compressed in both directions', async () => {
    const gateway = await startTestGateway({ identity: { getUser, getJwks } });
    const encoding = { 'content-encoding': 'br' };
    const response = await postProto(gateway, 'GetUser', brotliCompressSync(request), encoding);
    expect(userIn(Buffer.from(await response.arrayBuffer()))).toBe('u1');
    const accepting = { 'accept-encoding': 'gzip' };
    const compressed = await postProto(gateway, 'GetJwks', Buffer.alloc(0), accepting);
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    const jwks = GetJwksResponse.decode(Buffer.from(await compressed.arrayBuffer()));
    expect(jwks.jwksJson).toBe(large);
  });

  it('a Connect call whose body exceeds the limit after decompression is refused', async () => {
    const gateway = await startTestGateway();
    const body = gzipSync(
      CreateUserRequest.encode({ ...empty, name: 'x'.repeat(5 << 20) }).finish(),
    );
    const refused = await postProto(gateway, 'CreateUser', body, { 'content-encoding': 'gzip' });
    expect(await refused.json()).toMatchObject({ code: 'resource_exhausted' });
    expect(gateway.seen).toEqual([]);
  });

  const empty = CreateUserRequest.fromPartial({});

  it('a Connect call with JSON that does not match the request type is refused and not forwarded', async () => {
    const gateway = await startTestGateway({ identity: { getUser } });
    const response = await fetch(`${gateway.url}/${identity}/GetUser`, {
      method: 'POST',
      body: '{"userId":7}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_argument' });
    expect(gateway.seen).toEqual([]);
  });

  it('the response to a Connect call over the rate limit states in a header how long to wait', async () => {
    const gateway = await startTestGateway({
      identity: {
        getUser: async () => {
          throw new AppError('RATE_LIMITED', 'Too many calls', { retryAfterMs: 1_500 });
        },
      },
    });
    const response = await postProto(gateway, 'GetUser', request);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
  });
});
