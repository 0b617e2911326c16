import { getEventListeners, once } from 'node:events';
import {
  constants,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from '@grpc/grpc-js';
import { AppError } from '@daycare/api';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { eventually } from '@daycare/testing';
import { createRpcClient } from './client/rpc-client';
import { frameOf } from './shared/wire/one-message';
import { cleanups, identityClient, outcomes, serve } from './test-support/test-server';

type IdentityClient = ReturnType<typeof identityClient>;

afterEach(() => void jest.restoreAllMocks());

/**
 * Opens a connection, so that further calls are direct; returns a function that counts the calls that grpc-js
 * has made since then.
 */
async function connect(client: IdentityClient): Promise<() => number> {
  await client.resolveNametag({ nametag: 'x1' }).catch(() => undefined);
  outcomes.length = 0;
  const { mock } = jest.spyOn(Client.prototype, 'makeUnaryRequest');
  return () => mock.calls.length;
}

describe('a direct call', () => {
  it('is made without grpc-js once there is a connection', async () => {
    const { address } = await serve({ getUser: async () => ({}) });
    const client = identityClient(address);
    const countViaGrpc = await connect(client);
    for (let calls = 0; calls < 3; calls += 1) await client.getUser({ userId: 'u1' });
    expect(outcomes).toHaveLength(3);
    expect(countViaGrpc()).toBe(0);
  });

  it('carries metadata and large messages, and fails if its request is too large', async () => {
    const long = 'ä'.repeat(200_000);
    const seen: unknown[] = [];
    const { address } = await serve(
      { resolveNametag: async ({ nametag }) => ({ user: { ...noUser, name: nametag } }) },
      {},
      {
        authenticate({ metadata }) {
          seen.push(metadata.get('authorization'), metadata.get('absent'));
          return { kind: 'admin', proof: 'credential' };
        },
      },
    );
    const client = identityClient(address);
    const countViaGrpc = await connect(client);
    seen.length = 0;
    const metadata = { authorization: 'Bearer x' };
    const { user } = await client.resolveNametag({ nametag: long }, { metadata });
    expect(user?.name === long).toBe(true);
    expect(seen).toEqual([['Bearer x'], []]);
    const tooLong = client.resolveNametag({ nametag: 'ä'.repeat(600_000) }, { metadata });
    await expect(tooLong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(countViaGrpc()).toBe(0);
  });

  it("fails with every detail of its handler's error", async () => {
    const details = { retryAfterMs: 1_500, metadata: { a: 'b' } };
    const thrown = new AppError('QUOTA_EXCEEDED', 'zu viele 50 % “calls”', details);
    const { address } = await serve({ getUser: () => Promise.reject(thrown) });
    const client = identityClient(address);
    const countViaGrpc = await connect(client);
    const call = client.getUser({ userId: 'u1' });
    await expect(call).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: thrown.message,
      details,
    });
    expect(countViaGrpc()).toBe(0);
  });

  it('ends at its deadline, both for the client and for the handler', async () => {
    const { address } = await serve({ getUser: () => new Promise(() => undefined) });
    const client = identityClient(address);
    await connect(client);
    const call = client.getUser({ userId: 'u1' }, { timeoutMs: 50 });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toMatchObject([{ code: 'DEADLINE_EXCEEDED' }]);
  });

  it('is cancelled when its signal aborts, both for the client and for the handler', async () => {
    const controller = new AbortController();
    const { address } = await serve({
      getUser: async () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const client = identityClient(address);
    await connect(client);
    const call = client.getUser({ userId: 'u1' }, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toMatchObject([{ code: 'CANCELLED' }]);
  });

  it('leaves no listener behind when its signal is already aborted', async () => {
    const { address } = await serve({ getUser: async () => ({}) });
    const client = identityClient(address);
    await connect(client);
    const signal = AbortSignal.abort();
    const call = client.getUser({ userId: 'u1' }, { signal });
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('fails with UNAVAILABLE when the server stops before it has answered', async () => {
    const server = await serve({ createUser: () => new Promise(() => undefined) });
    const client = identityClient(server.address);
    await connect(client);
    const call = client.createUser(createRequest);
    const failed = expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await server.drain(0);
    await failed;
  });
});

const noUser = { id: '', nametag: '', name: '', parentUserId: '', description: '', timeZone: '' };
const path = IdentityServiceService.createUser.path;
const createRequest = { requestId: 'r', name: 'n', nametag: '' };

/** Starts a peer that responds to the first call with NOT_FOUND and passes later ones to `handle`. */
async function openPeer(
  handle: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
  isRetried = true,
): Promise<IdentityClient> {
  const peer = createServer();
  const sessions = new Set<ServerHttp2Session>();
  peer.on('session', (session) => void sessions.add(session));
  peer.on('sessionError', () => undefined);
  let calls = 0;
  peer.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    calls += 1;
    if (calls > 1) return handle(stream, headers);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 5 },
      { endStream: true },
    );
  });
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  const { port } = peer.address() as AddressInfo;
  const address = `127.0.0.1:${port}`;
  const options = { address, maxMessageBytes: 1_000, isRetried };
  const client = createRpcClient(IdentityServiceService, options);
  cleanups.push(() => {
    client.close();
    for (const session of sessions) session.destroy();
    peer.close();
  });
  await connect(client);
  return client;
}

const respond = (stream: ServerHttp2Stream, body: Buffer, trailers: object): void => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ ...trailers }));
  stream.end(body);
};

describe('a direct call to a bare HTTP/2 server', () => {
  const ok = { 'grpc-status': 0 };
  const empty = frameOf(Buffer.alloc(0));
  const compressed = Buffer.from([1, 0, 0, 0, 0]);

  it.each([
    ['no message', Buffer.alloc(0), ok, 'UNIMPLEMENTED'],
    ['half a message', empty.subarray(0, 3), ok, 'UNIMPLEMENTED'],
    ['two messages', Buffer.concat([empty, empty]), ok, 'UNIMPLEMENTED'],
    ['a compressed message', compressed, ok, 'UNIMPLEMENTED'],
    ['a message that is too large', frameOf(Buffer.alloc(1_001)), ok, 'INVALID_ARGUMENT'],
    ['bytes that are not a response', frameOf(Buffer.from([10, 200])), ok, 'INTERNAL'],
    ['a message and a failure', empty, { 'grpc-status': 5 }, 'NOT_FOUND'],
    ['no status', empty, {}, 'INTERNAL'],
  ])('fails if the response contains %s', async (_what, body, trailers, code) => {
    const client = await openPeer((stream) => respond(stream, body, trailers));
    await expect(client.createUser(createRequest)).rejects.toMatchObject({ code });
  });

  it.each([
    [503, 'UNAVAILABLE'],
    [404, 'UNIMPLEMENTED'],
    [500, 'INTERNAL'],
  ])(
    'fails if the HTTP status of the response is %i, with the code %s',
    async (httpStatus, code) => {
      const client = await openPeer((stream) => {
        stream.respond({ ':status': httpStatus });
        stream.end('<html>');
      });
      await expect(client.createUser(createRequest)).rejects.toMatchObject({ code });
    },
  );

  it.each([
    ['cancelled', constants.NGHTTP2_CANCEL, 'CANCELLED'],
    ['reset with an error', constants.NGHTTP2_INTERNAL_ERROR, 'INTERNAL'],
    ['reset because of rate limiting', constants.NGHTTP2_ENHANCE_YOUR_CALM, 'RATE_LIMITED'],
  ])('fails if its stream was %s', async (_what, rstCode, code) => {
    const client = await openPeer((stream) => stream.close(rstCode));
    await expect(client.createUser(createRequest)).rejects.toMatchObject({ code });
  });

  it('is retried after its stream was refused', async () => {
    let calls = 0;
    const client = await openPeer((stream, headers) => {
      calls += 1;
      expect(headers[':path']).toBe(path);
      if (calls === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else respond(stream, empty, ok);
    });
    await expect(client.createUser(createRequest)).resolves.toEqual({ user: undefined });
    expect(calls).toBe(2);
  });

  it('is not retried if the connection is lost after the response headers', async () => {
    let calls = 0;
    const client = await openPeer((stream) => {
      calls += 1;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.session!.goaway(constants.NGHTTP2_NO_ERROR);
      setImmediate(() => stream.session?.destroy());
    });
    await expect(client.getUser({ userId: 'u1' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(calls).toBe(1);
  });

  it('fails if the connection is lost after the client was closed', async () => {
    const peerSessions: Http2Session[] = [];
    const client = await openPeer((stream) => void peerSessions.push(stream.session!));
    const call = client.getUser({ userId: 'u1' });
    const failed = expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await eventually(() => peerSessions.length === 1);
    client.close();
    for (const session of peerSessions) session.destroy();
    await failed;
  });

  it.each([
    ['is lost', (session: Http2Session) => session.destroy()],
    [
      'is ended with an error',
      (session: Http2Session) => session.goaway(constants.NGHTTP2_INTERNAL_ERROR),
    ],
  ])(
    'is retried when the connection %s, but only if its client retries calls',
    async (_what, lose) => {
      let calls = 0;
      const client = await openPeer((stream) => {
        calls += 1;
        if (calls === 1) lose(stream.session!);
        else respond(stream, empty, ok);
      });
      await expect(client.getUser({ userId: 'u1' })).resolves.toEqual({ user: undefined });
      expect(calls).toBe(2);
      const clientWithoutRetries = await openPeer((stream) => {
        calls += 1;
        lose(stream.session!);
      }, false);
      await expect(clientWithoutRetries.createUser(createRequest)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
      expect(calls).toBe(3);
    },
  );
});
