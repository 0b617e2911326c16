import { once } from 'node:events';
import { constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ChannelCredentials, Client, status, type ServiceError } from '@grpc/grpc-js';
import { AppError } from '@daycare/api';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { eventually } from '@daycare/testing';
import { createRpcClient } from './client/rpc-client';
import { fromGrpcError } from './shared/status-details';
import {
  cleanups,
  identityClient,
  outcomes,
  runtimeClient,
  serve,
} from './test-support/test-server';

describe('the gRPC kit', () => {
  it('ends a call at its deadline, both for the client and for the handler', async () => {
    let aborted: unknown;
    const { address } = await serve({
      getUser: (_request, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = signal.reason;
            resolve({});
          });
        }),
    });
    const call = identityClient(address).getUser({ userId: 'u1' }, { timeoutMs: 500 });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await eventually(() => aborted !== undefined);
  });

  it('answers a call exactly once, at its deadline, even if the handler keeps running, and counts DEADLINE_EXCEEDED', async () => {
    const { address } = await serve(
      { getUser: () => new Promise(() => undefined) },
      {},
      { defaultTimeoutMs: 50 },
    );
    const plain = new Client(address, ChannelCredentials.createInsecure());
    cleanups.push(() => plain.close());
    const { path, requestSerialize, responseDeserialize } = IdentityServiceService.getUser;
    // The client sets no deadline, so the server's default timeout applies.
    const error = await new Promise((resolve) => {
      plain.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        { userId: 'u1' },
        resolve,
      );
    });
    expect(error).toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(fromGrpcError(error as ServiceError)).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      message: 'The deadline passed before the call was answered',
    });
    expect(outcomes).toMatchObject([{ method: 'GetUser', code: 'DEADLINE_EXCEEDED' }]);
  });

  it('fails a call with UNAVAILABLE when the peer ends the connection with an error', async () => {
    const peer = createServer();
    peer.on('sessionError', () => undefined);
    peer.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.session!.goaway(constants.NGHTTP2_INTERNAL_ERROR);
    });
    peer.listen(0, '127.0.0.1');
    await once(peer, 'listening');
    cleanups.push(() => void peer.close());
    const { port } = peer.address() as AddressInfo;
    const options = { address: `127.0.0.1:${port}`, isRetried: false };
    const client = createRpcClient(IdentityServiceService, options);
    cleanups.push(() => client.close());
    await expect(client.getUser({ userId: 'u1' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('does not treat a request stream as complete if the client abandons it', async () => {
    const controller = new AbortController();
    let received = 0;
    let isComplete = false;
    const { address } = await serve(
      {},
      {
        async uploadFile(parts) {
          for await (const _ of parts) received += 1;
          isComplete = true;
          return { sha256: '' };
        },
      },
    );
    async function* parts() {
      yield { part: { $case: 'chunk' as const, value: Buffer.from('half') } };
      await eventually(() => received === 1);
      controller.abort();
      await new Promise(() => undefined);
    }
    const call = runtimeClient(address).uploadFile(parts(), { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await eventually(() => outcomes.length === 1);
    expect(outcomes).toMatchObject([{ method: 'UploadFile', code: 'CANCELLED' }]);
    expect(isComplete).toBe(false);
  });

  it('counts a call as cancelled when the client cancels it', async () => {
    const controller = new AbortController();
    let reason: unknown;
    const { address } = await serve({
      getUser: async (_request, { signal }) => {
        signal.addEventListener('abort', () => (reason = signal.reason));
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const call = identityClient(address).getUser({ userId: 'u1' }, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toMatchObject([{ code: 'CANCELLED' }]);
    expect(reason).toMatchObject({ code: 'CANCELLED' });
  });

  it('gives a handler an aborted signal even if the handler first reads the signal after the call has ended', async () => {
    let late: unknown;
    const { address } = await serve({
      async getUser(_request, context) {
        await eventually(() => outcomes.length > 0);
        late = context.signal.reason;
        return {};
      },
    });
    const call = identityClient(address).getUser({ userId: 'u1' }, { timeoutMs: 50 });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await eventually(() => late !== undefined);
    expect(late).toBeInstanceOf(AppError);
  });

  it('runs no handler for a call that ended while its caller was being identified', async () => {
    let finishIdentifying: () => void = () => undefined;
    let handled = false;
    const authenticate = async () => {
      await new Promise<void>((resolve) => (finishIdentifying = resolve));
      return { kind: 'admin', proof: 'credential' } as const;
    };
    const getUser = async () => ((handled = true), {});
    const { address } = await serve({ getUser }, {}, { authenticate });
    const call = identityClient(address).getUser({ userId: 'u1' }, { timeoutMs: 50 });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await eventually(() => outcomes.length > 0);
    finishIdentifying();
    await new Promise(setImmediate);
    expect(handled).toBe(false);
    expect(outcomes).toHaveLength(1);
  });

  it("ends the calls that a handler makes with its own signal at the handler's deadline", async () => {
    let inner: Promise<unknown> | undefined;
    const { address } = await serve({
      getUser: () => new Promise(() => undefined),
      async resolveNametag(_request, { signal }) {
        inner = client.getUser({ userId: 'u1' }, { signal });
        await inner;
        return {};
      },
    });
    const client = identityClient(address);
    const call = client.resolveNametag({ nametag: 'x1' }, { timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expect(inner).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it("cancels the calls that a handler makes with its own signal when the handler's caller cancels", async () => {
    const controller = new AbortController();
    let inner: Promise<unknown> | undefined;
    const { address } = await serve({
      getUser: async () => {
        controller.abort();
        return new Promise(() => undefined);
      },
      async resolveNametag(_request, { signal }) {
        inner = client.getUser({ userId: 'u1' }, { signal });
        await inner;
        return {};
      },
    });
    const client = identityClient(address);
    const { signal } = controller;
    const call = client.resolveNametag({ nametag: 'x1' }, { signal });
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(inner).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
