import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { EncodedResponse } from './shared/encoded-response';
import { startRpcServer } from './server/rpc-server';
import {
  identityClient,
  logged,
  outcomes,
  pipeline,
  runtimeClient,
  serve,
} from './test-support/test-server';

const noUser = { id: '', nametag: '', name: '', parentUserId: '', description: '', timeZone: '' };

describe('a unary call', () => {
  it("returns the handler's response and reports its outcome to the observer", async () => {
    const { address } = await serve({ resolveNametag: async () => ({}) });
    await expect(identityClient(address).resolveNametag({ nametag: 'x1' })).resolves.toEqual({
      user: undefined,
    });
    expect(outcomes).toMatchObject([
      { service: 'daycare.identity.v1.IdentityService', method: 'ResolveNametag', code: 'OK' },
    ]);
  });

  it('delivers a response that the handler has already encoded', async () => {
    const response = { user: { ...noUser, nametag: 'swiftfox42' } };
    const bytes = IdentityServiceService.resolveNametag.responseSerialize(response);
    const { address } = await serve({ resolveNametag: async () => new EncodedResponse(bytes) });
    const { user } = await identityClient(address).resolveNametag({ nametag: 'swiftfox42' });
    expect(user?.nametag).toBe('swiftfox42');
  });

  it('gives the client every detail of an error', async () => {
    const details = {
      fields: [{ field: 'name', description: 'is required' }],
      retryAfterMs: 1_500,
      quota: { subject: 'user:u1', description: 'at most 50 per hour' },
      precondition: { type: 'COOLDOWN', subject: 'swiftfox42', description: 'wait' },
      metadata: { allowed_at: '2026-11-23T10:00:00Z' },
    };
    const thrown = new AppError('QUOTA_EXCEEDED', 'too many', details);
    const { address } = await serve({ getUser: () => Promise.reject(thrown) });
    const error: unknown = await identityClient(address)
      .getUser({ userId: 'u1' })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'QUOTA_EXCEEDED', message: 'too many', details });
  });

  it('fails with UNIMPLEMENTED if there is no handler', async () => {
    const { address } = await serve({});
    const error = identityClient(address).deleteUser({ requestId: 'r', userId: 'u' });
    await expect(error).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
      message: '/daycare.identity.v1.IdentityService/DeleteUser is not available in this version',
    });
  });

  it('hides an unexpected failure from the client and logs its cause once', async () => {
    const cause = new Error('secret of the server');
    const { address } = await serve({ getUser: () => Promise.reject(cause) });
    const call = identityClient(address).getUser({ userId: 'u1' });
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL', message: 'Internal error' });
    expect(logged).toEqual([{ level: 'error', fields: expect.objectContaining({ err: cause }) }]);
  });

  it('is refused if it fails authentication', async () => {
    const authenticate = () => {
      throw new AppError('UNAUTHENTICATED', 'The token is invalid');
    };
    const { address } = await serve({ getUser: async () => ({}) }, {}, { authenticate });
    await expect(identityClient(address).getUser({ userId: 'u1' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it.each([
    ['an anonymous caller', { kind: 'anonymous' }, 'UNAUTHENTICATED'],
    ['a user', { kind: 'user', userId: 'u1' }, 'PERMISSION_DENIED'],
    [
      'another service',
      { kind: 'service', service: 'topology', proof: 'token' },
      'PERMISSION_DENIED',
    ],
  ] as const)(
    'is refused for %s if the access table does not allow it',
    async (_, caller, code) => {
      let handled = false;
      const getUser = async () => ((handled = true), {});
      const { address } = await serve({ getUser }, {}, { authenticate: () => caller });
      await expect(identityClient(address).getUser({ userId: 'u1' })).rejects.toMatchObject({
        code,
      });
      expect(handled).toBe(false);
    },
  );

  it('is retried while the peer is unavailable only if the contract allows retries', async () => {
    const seen = { getUser: 0, refreshToken: 0 };
    const unavailable = () => Promise.reject(new AppError('UNAVAILABLE', 'starting'));
    const { address } = await serve({
      getUser: async () => (++seen.getUser < 3 ? unavailable() : {}),
      refreshToken: async () => (++seen.refreshToken < 3 ? unavailable() : {}),
    });
    const client = identityClient(address);
    await expect(client.getUser({ userId: 'u1' })).resolves.toBeDefined();
    await expect(client.refreshToken({ refreshToken: 't' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(seen).toEqual({ getUser: 3, refreshToken: 1 });
  });
});

describe('a streamed call', () => {
  it('streams every element to a slow reader, in order', async () => {
    const { address } = await serve({}, { downloadFile: () => chunks(500) });
    const sizes: number[] = [];
    for await (const { part } of runtimeClient(address).downloadFile({ fileId: 'f' })) {
      if (part?.$case === 'chunk') sizes.push(part.value.readUInt32BE());
      await new Promise(setImmediate);
    }
    expect(sizes).toEqual(Array.from({ length: 500 }, (_, index) => index));
  });

  it("ends the handler's stream when the client stops reading it", async () => {
    let ended = false;
    async function* endless() {
      try {
        for (let index = 0; ; index += 1) yield* chunks(1, index);
      } finally {
        ended = true;
      }
    }
    const { address } = await serve({}, { downloadFile: endless });
    for await (const _ of runtimeClient(address).downloadFile({ fileId: 'f' })) break;
    await expect(poll(() => ended)).resolves.toBe(true);
  });

  it('delivers an error that occurs in the middle of a stream', async () => {
    async function* failing() {
      yield* chunks(1);
      throw new AppError('NOT_FOUND', 'File not found');
    }
    const { address } = await serve({}, { downloadFile: failing });
    const read = async () => {
      for await (const _ of runtimeClient(address).downloadFile({ fileId: 'f' }));
    };
    await expect(read()).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'File not found' });
  });

  it('passes a client stream to the handler', async () => {
    const { address } = await serve(
      {},
      {
        uploadFile: async (requests) => {
          let parts = 0;
          for await (const _ of requests) parts += 1;
          return { sha256: '', file: { id: 'f', name: '', mimeType: '', size: parts } };
        },
      },
    );
    const response = await runtimeClient(address).uploadFile(uploadParts(50));
    expect(response.file?.size).toBe(50);
  });
});

describe('a server', () => {
  it('reports that its port is in use', async () => {
    const { address } = await serve({});
    const second = startRpcServer({ listen: address, services: [], pipeline });
    await expect(second).rejects.toThrow(
      `cannot listen on ${address}: the port is in use by another program`,
    );
  });

  it('completes calls in progress before it stops', async () => {
    let noteStart: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      noteStart = resolve;
    });
    let finish: () => void = () => undefined;
    const server = await serve({
      getUser: () =>
        new Promise((resolve) => {
          finish = () => resolve({});
          noteStart();
        }),
    });
    const call = identityClient(server.address).getUser({ userId: 'u1' });
    await started;
    const drained = server.drain(5_000);
    finish();
    await expect(call).resolves.toBeDefined();
    await drained;
  });
});

async function* chunks(count: number, from = 0) {
  for (let index = from; index < from + count; index += 1) {
    const value = Buffer.alloc(4_096);
    value.writeUInt32BE(index);
    yield { part: { $case: 'chunk' as const, value } };
  }
}

async function* uploadParts(count: number) {
  for (let index = 0; index < count; index += 1) {
    yield { part: { $case: 'chunk' as const, value: Buffer.alloc(10) } };
  }
}

async function poll(done: () => boolean): Promise<boolean> {
  const deadline = Date.now() + 5_000;
  while (!done() && Date.now() < deadline) await new Promise(setImmediate);
  return done();
}
