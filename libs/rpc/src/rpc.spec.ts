import { afterEach, describe, expect, it } from '@jest/globals';
import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { AccessTable } from '@daycare/contracts/access';
import { AppError } from '@daycare/errors';
import type { CallOutcome, CallPipeline } from './call-pipeline';
import { implementService } from './implement-service';
import { createRpcClient } from './rpc-client';
import { startRpcServer, type RpcServer } from './rpc-server';
import type { Handlers } from './service-types';

type IdentityHandlers = Handlers<typeof IdentityServiceService>;
type RuntimeHandlers = Handlers<typeof AgentRuntimeServiceService>;

const outcomes: CallOutcome[] = [];

/** Opens every RPC of a contract to operators. */
function forAdmins<S extends object>(contract: S): AccessTable<S> {
  const entries = Object.keys(contract).map((method) => [method, ['admin']]);
  return Object.fromEntries(entries) as AccessTable<S>;
}
const logged: { level: string; fields: object }[] = [];
const logAt = (level: string) => (fields: object) => void logged.push({ level, fields });
setLogVerbosity(logVerbosity.NONE);
const pipeline: CallPipeline = {
  authenticate: () => ({ kind: 'admin', proof: 'credential' }),
  limit: () => undefined,
  observe: (outcome) => void outcomes.push(outcome),
  log: { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
  defaultTimeoutMs: 1_000,
};

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  outcomes.length = 0;
  logged.length = 0;
});

async function serve(
  handlers: IdentityHandlers,
  runtime: RuntimeHandlers = {},
  overrides: Partial<CallPipeline> = {},
): Promise<RpcServer> {
  const server = await startRpcServer({
    listen: '127.0.0.1:0',
    pipeline: { ...pipeline, ...overrides },
    services: [
      implementService(
        'daycare.identity.v1.IdentityService',
        IdentityServiceService,
        forAdmins(IdentityServiceService),
        handlers,
      ),
      implementService(
        'daycare.agent_runtime.v1.AgentRuntimeService',
        AgentRuntimeServiceService,
        forAdmins(AgentRuntimeServiceService),
        runtime,
      ),
    ],
  });
  cleanups.push(() => server.drain(0));
  return server;
}

function identityClient(address: string, timeoutMs = 5_000) {
  const client = createRpcClient(IdentityServiceService, { address, timeoutMs });
  cleanups.push(() => client.close());
  return client;
}

function runtimeClient(address: string) {
  const client = createRpcClient(AgentRuntimeServiceService, { address });
  cleanups.push(() => client.close());
  return client;
}

describe('a call through the kit', () => {
  it('reaches the handler and is answered', async () => {
    const { address } = await serve({ resolveNametag: async () => ({}) });
    await expect(identityClient(address).resolveNametag({ nametag: 'x1' })).resolves.toEqual({
      user: undefined,
    });
    expect(outcomes).toMatchObject([
      { service: 'daycare.identity.v1.IdentityService', method: 'ResolveNametag', code: 'OK' },
    ]);
  });

  it('carries every detail of an error to the client', async () => {
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

  it('answers UNIMPLEMENTED where there is no handler', async () => {
    const { address } = await serve({});
    const error = identityClient(address).deleteUser({ requestId: 'r', userId: 'u' });
    await expect(error).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
      message: '/daycare.identity.v1.IdentityService/DeleteUser is not available in this version',
    });
  });

  it('tells the client nothing of an unknown failure and logs its cause once', async () => {
    const cause = new Error('secret of the server');
    const { address } = await serve({ getUser: () => Promise.reject(cause) });
    const call = identityClient(address).getUser({ userId: 'u1' });
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL', message: 'Internal error' });
    expect(logged).toEqual([{ level: 'error', fields: expect.objectContaining({ err: cause }) }]);
  });

  it('is refused when the caller cannot be believed', async () => {
    const authenticate = () => {
      throw new AppError('UNAUTHENTICATED', 'The token does not hold');
    };
    const { address } = await serve({ getUser: async () => ({}) }, {}, { authenticate });
    await expect(identityClient(address).getUser({ userId: 'u1' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it.each([
    ['nobody', { kind: 'anonymous' }, 'UNAUTHENTICATED'],
    ['a user', { kind: 'user', userId: 'u1' }, 'PERMISSION_DENIED'],
    [
      'another service',
      { kind: 'service', service: 'topology', proof: 'token' },
      'PERMISSION_DENIED',
    ],
  ] as const)('is closed to %s unless its access says otherwise', async (_, caller, code) => {
    let handled = false;
    const getUser = async () => ((handled = true), {});
    const { address } = await serve({ getUser }, {}, { authenticate: () => caller });
    await expect(identityClient(address).getUser({ userId: 'u1' })).rejects.toMatchObject({ code });
    expect(handled).toBe(false);
  });

  it('ends at its deadline, for the client and for the handler', async () => {
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
    const call = identityClient(address).getUser({ userId: 'u1' }, { timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expect(poll(() => aborted !== undefined)).resolves.toBe(true);
  });

  it('never outlives the call it is made for', async () => {
    const { address } = await serve({ getUser: () => new Promise(() => undefined) });
    const parent = { deadline: Date.now() + 100, signal: new AbortController().signal };
    const call = identityClient(address).getUser({ userId: 'u1' }, { parent });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  it('is cancelled with the call it is made for', async () => {
    const controller = new AbortController();
    const { address } = await serve({ getUser: () => new Promise(() => undefined) });
    const parent = { deadline: Infinity, signal: controller.signal };
    const call = identityClient(address).getUser({ userId: 'u1' }, { parent });
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('is repeated while the peer is unavailable only if the contract allows it', async () => {
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
  it('delivers every element in order to a slow reader', async () => {
    const { address } = await serve({}, { downloadFile: () => chunks(500) });
    const sizes: number[] = [];
    for await (const { part } of runtimeClient(address).downloadFile({ fileId: 'f' })) {
      if (part?.$case === 'chunk') sizes.push(part.value.readUInt32BE());
      await new Promise(setImmediate);
    }
    expect(sizes).toEqual(Array.from({ length: 500 }, (_, index) => index));
  });

  it('ends the source when the reader goes away', async () => {
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

  it('carries an error in the middle', async () => {
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

  it('is read by the handler as it is sent', async () => {
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
    const answer = await runtimeClient(address).uploadFile(uploadParts(50));
    expect(answer.file?.size).toBe(50);
  });
});

describe('a server', () => {
  it('says so when the port is taken', async () => {
    const { address } = await serve({});
    const second = startRpcServer({ listen: address, services: [], pipeline });
    await expect(second).rejects.toThrow(
      `cannot listen on ${address}: the port is taken by another program`,
    );
  });

  it('answers what is under way before it stops', async () => {
    let release: () => void = () => undefined;
    const started = new Promise<void>((began) => {
      release = began;
    });
    let finish: () => void = () => undefined;
    const server = await serve({
      getUser: () =>
        new Promise((resolve) => {
          finish = () => resolve({});
          release();
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
