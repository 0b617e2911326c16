import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { Server, status } from '@grpc/grpc-js';
import { AppError } from '@daycare/api';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { eventually } from '@daycare/testing';
import { frameOf } from '../../shared/wire/one-message';
import { cleanups, outcomes, serve } from '../../test-support/test-server';
import { serveDirectly } from './serve-directly';

const { path, requestSerialize } = IdentityServiceService.getUser;
const request = frameOf(requestSerialize({ userId: 'u1' }));
const grpc = { 'content-type': 'application/grpc', te: 'trailers' };

async function open(address: string): Promise<ClientHttp2Session> {
  const session = connect(`http://${address}`);
  session.on('error', () => undefined);
  cleanups.push(() => session.destroy());
  await once(session, 'connect');
  return session;
}

/** Sends the chunks as a request; returns the headers, trailers and body of the response. */
async function call(
  address: string,
  chunks: readonly Buffer[],
  headers: Record<string, string> = grpc,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly body: Buffer }> {
  const session = await open(address);
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
  const received: IncomingHttpHeaders = {};
  const body: Buffer[] = [];
  stream.on('response', (values) => Object.assign(received, values));
  stream.on('trailers', (values) => Object.assign(received, values));
  stream.on('data', (chunk: Buffer) => body.push(chunk));
  for (const chunk of chunks) {
    stream.write(chunk);
    await new Promise(setImmediate);
  }
  stream.end();
  await once(stream, 'close');
  return { headers: received, body: Buffer.concat(body) };
}

describe('a server', () => {
  it('answers a request that arrives byte by byte', async () => {
    const { address } = await serve({ getUser: async () => ({}) });
    const bytes = [...request].map((byte) => Buffer.from([byte]));
    const { headers, body } = await call(address, bytes);
    expect(headers).toMatchObject({ ':status': 200, 'grpc-status': '0' });
    expect(body).toEqual(frameOf(Buffer.alloc(0)));
  });

  it.each([
    ['no message', [], status.UNIMPLEMENTED],
    ['half a message', [request.subarray(0, 6)], status.UNIMPLEMENTED],
    ['two messages', [request, request], status.UNIMPLEMENTED],
    ['two messages in one chunk', [Buffer.concat([request, request])], status.UNIMPLEMENTED],
    ['bytes that are not a message', [frameOf(Buffer.from([10, 200]))], status.INTERNAL],
    ['a compressed message', [Buffer.from([1, 0, 0, 0, 0])], status.INTERNAL],
    ['a message of 3 MiB', [Buffer.from([0, 0, 48, 0, 0])], status.RESOURCE_EXHAUSTED],
  ] as const)('refuses a request with %s', async (_what, chunks, code) => {
    const { address } = await serve({ getUser: async () => ({}) });
    const { headers } = await call(address, chunks);
    expect(headers).toMatchObject({ ':status': 200, 'grpc-status': `${code}` });
    expect(outcomes).toEqual([]);
  });

  it('refuses an invalid timeout', async () => {
    const { address } = await serve({ getUser: async () => ({}) });
    const { headers } = await call(address, [request], { ...grpc, 'grpc-timeout': 'soon' });
    expect(headers['grpc-status']).toBe(`${status.INTERNAL}`);
  });

  it.each(['20m', '20000u', '0S'])('ends a call at its grpc-timeout of %s', async (timeout) => {
    const { address } = await serve({ getUser: () => new Promise(() => undefined) });
    const { headers } = await call(address, [request], { ...grpc, 'grpc-timeout': timeout });
    expect(headers['grpc-status']).toBe(`${status.DEADLINE_EXCEEDED}`);
  });

  it('ends a call at its timeout even if its request never ends', async () => {
    const { address } = await serve({ getUser: async () => ({}) });
    const session = await open(address);
    const headers = { ...grpc, 'grpc-timeout': '50m' };
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    stream.write(request.subarray(0, 6));
    const [response] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    expect(response['grpc-status']).toBe(`${status.DEADLINE_EXCEEDED}`);
    expect(outcomes).toEqual([]);
    stream.close();
  });

  it('refuses a second message without waiting for the end of the request', async () => {
    const { address } = await serve({ getUser: async () => ({}) });
    const session = await open(address);
    const stream = session.request({ ':method': 'POST', ':path': path, ...grpc });
    stream.write(Buffer.concat([request, Buffer.alloc(100)]));
    const [response] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    expect(response['grpc-status']).toBe(`${status.UNIMPLEMENTED}`);
    stream.close();
  });

  it.each([
    ['synchronously', () => undefined],
    ['asynchronously', () => new Promise(setImmediate)],
  ])(
    'replaces an unencodable character in the message of an error that a handler throws %s',
    async (_when, pause) => {
      const failure = new AppError('NOT_FOUND', 'no \ud800 here');
      const getUser = (): Promise<never> => {
        const paused = pause();
        if (!paused) throw failure;
        return paused.then(() => Promise.reject(failure));
      };
      const { address } = await serve({ getUser });
      const { headers } = await call(address, [request]);
      expect(headers).toMatchObject({
        'grpc-status': `${status.NOT_FOUND}`,
        'grpc-message': encodeURI('no \ufffd here'),
      });
    },
  );

  it('leaves compressed requests and other content types to grpc-js', async () => {
    const { address } = await serve({ getUser: async () => ({}) });
    const compressed = frameOf(gzipSync(requestSerialize({ userId: 'u1' })));
    compressed[0] = 1;
    const { headers } = await call(address, [compressed], { ...grpc, 'grpc-encoding': 'gzip' });
    expect(headers['grpc-status']).toBe('0');
    const plainText = await call(address, [request], { 'content-type': 'text/plain' });
    expect(plainText.headers[':status']).toBe(415);
  });

  it('runs no handler for a request that is cancelled before it is complete, and cancels a handler that is already running', async () => {
    let handled = 0;
    const getUser = () => ((handled += 1), new Promise<never>(() => undefined));
    const { address } = await serve({ getUser });
    const session = await open(address);
    const start = () => session.request({ ':method': 'POST', ':path': path, ...grpc });
    const half = start();
    half.on('error', () => undefined);
    half.write(request.subarray(0, 6));
    half.close(constants.NGHTTP2_CANCEL);
    const whole = start();
    whole.on('error', () => undefined);
    whole.end(request);
    await eventually(() => handled === 1);
    whole.close(constants.NGHTTP2_CANCEL);
    await eventually(() => outcomes.length === 1);
    expect(outcomes).toMatchObject([{ code: 'CANCELLED' }]);
    expect(handled).toBe(1);
  });
});

describe('serveDirectly', () => {
  it('takes over calls from this version of grpc-js, but not from a server with other internals', () => {
    const server = new Server();
    cleanups.push(() => server.forceShutdown());
    expect(serveDirectly(server, new Map())).toBe(true);
    expect(serveDirectly({} as Server, new Map())).toBe(false);
  });
});
