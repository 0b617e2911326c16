import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { BadRequest } from '@daycare/contracts/google-rpc';
import type { User } from '@daycare/contracts/identity';
import type { CallOptions } from '@daycare/rpc';
import { useStack } from '../support/stack/use-stack';

const run = promisify(execFile);
const buf = join(__dirname, '../../node_modules/.bin/buf');

const stack = useStack({
  services: ['identity'],
  replicas: { identity: 2 },
  timeoutMs: 20_000,
});
const { identities: clients } = stack;
/** The operator's credential, which permits every call in this story. */
let admin: CallOptions;
beforeAll(() => {
  admin = { metadata: stack.adminMetadata };
});

/** Calls an RPC of identity with a client that shares no code with ours and discovers the API by reflection. */
async function bufCurl(method: string, body: object): Promise<Record<string, unknown>> {
  const url = `http://${stack.addressOf('identity')}/daycare.identity.v1.IdentityService/${method}`;
  const args = [
    'curl',
    '-H',
    `authorization: ${stack.adminMetadata.authorization}`,
    '--protocol',
    'grpc',
    '--http2-prior-knowledge',
    '-d',
    JSON.stringify(body),
    url,
  ];
  const { stdout } = await run(buf, args);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Runs `work` for each index below `count`, `width` at a time. */
async function inParallel<T>(
  count: number,
  width: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

describe('gRPC reflection', () => {
  it('a client that uses reflection creates a user and resolves the user’s nametag despite a capital and surrounding spaces', async () => {
    const { user } = (await bufCurl('CreateUser', { requestId: 'foreign-1', name: 'Ada' })) as {
      user: User;
    };
    expect(user.nametag).toMatch(/^[a-z]+[0-9]+$/);
    const typed = ` ${user.nametag[0]!.toUpperCase()}${user.nametag.slice(1)} `;
    await expect(bufCurl('ResolveNametag', { nametag: typed })).resolves.toEqual({ user });
  });

  it('a client that uses reflection gets the invalid fields in the standard error details', async () => {
    const failure: unknown = await bufCurl('CreateUser', { name: '' }).catch(
      (error: unknown) => error,
    );
    const { code, stderr } = failure as { code: number; stderr: string };
    // buf exits with 8 times the gRPC status: INVALID_ARGUMENT is 3.
    expect(code).toBe(24);
    const { details } = JSON.parse(stderr) as { details: { type: string; value: string }[] };
    expect(details.map(({ type }) => type)).toEqual([
      'google.rpc.ErrorInfo',
      'google.rpc.BadRequest',
    ]);
    expect(BadRequest.decode(Buffer.from(details[1]!.value, 'base64'))).toEqual({
      fieldViolations: [
        { field: 'request_id', description: 'is required' },
        { field: 'name', description: 'must be 1 to 100 characters, got 0' },
      ],
    });
  });
});

describe('concurrent calls', () => {
  it('two replicas create 10,000 users concurrently without a failed call or a duplicate nametag', async () => {
    const users = await inParallel(10_000, 128, async (index) => {
      const { user } = await clients[index % 2]!.createUser(
        {
          requestId: `crowd-${index}`,
          name: `User ${index}`,
        },
        admin,
      );
      return user!;
    });
    expect(new Set(users.map(({ nametag }) => nametag)).size).toBe(10_000);
    expect(new Set(users.map(({ id }) => id)).size).toBe(10_000);
  });

  it('two replicas create only one user for concurrent calls with the same request id', async () => {
    const command = { requestId: 'both', name: 'Ada' };
    const responses = await inParallel(40, 40, (index) =>
      clients[index % 2]!.createUser(command, admin),
    );
    expect(new Set(responses.map(({ user }) => user!.id)).size).toBe(1);
  });
});

describe('looking up users', () => {
  it('a batch lookup returns users in the order requested and omits repeated and unknown ids', async () => {
    const [ada, bob] = await inParallel(2, 2, async (index) => {
      const { user } = await clients[0]!.createUser(
        {
          requestId: `look-${index}`,
          name: `User ${index}`,
        },
        admin,
      );
      return user!;
    });
    await expect(clients[1]!.getUser({ userId: ada!.id }, admin)).resolves.toEqual({ user: ada });
    const userIds = [bob!.id, 'nobody0', ada!.id, bob!.id];
    await expect(clients[1]!.batchGetUsers({ userIds }, admin)).resolves.toEqual({
      users: [bob, ada],
    });
  });

  it('looking up an unknown id or an unknown nametag fails with NOT_FOUND', async () => {
    const { identity } = stack;
    await expect(identity.getUser({ userId: 'nobody0' }, admin)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(identity.resolveNametag({ nametag: 'nobody0' }, admin)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it.each([
    ['an empty id', 'getUser', { userId: '' }, 'user_id'],
    ['an id that is a MongoDB query', 'getUser', { userId: '{"$ne":1}' }, 'user_id'],
    ['an empty nametag', 'resolveNametag', { nametag: '' }, 'nametag'],
    ['a nametag without digits', 'resolveNametag', { nametag: 'swiftfox' }, 'nametag'],
    ['a nametag of 100 kB', 'resolveNametag', { nametag: 'x'.repeat(100_000) }, 'nametag'],
    ['no ids', 'batchGetUsers', { userIds: [] }, 'user_ids'],
    ['one bad id out of two', 'batchGetUsers', { userIds: ['ok1', 'NOT OK'] }, 'user_ids[1]'],
    ['1,001 ids', 'batchGetUsers', { userIds: Array<string>(1_001).fill('u1') }, 'user_ids'],
  ] as const)(
    'a lookup with %s is refused, and the error names the field',
    async (_, method, request, field) => {
      const call = clients[0]![method] as (
        request: unknown,
        options: CallOptions,
      ) => Promise<unknown>;
      await expect(call(request, admin)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { fields: [expect.objectContaining({ field })] },
      });
    },
  );
});

describe('a replica killed under load', () => {
  it('kill -9 loses no acknowledged user', async () => {
    const victim = stack.service('identity');
    const acknowledged: User[] = [];
    let killed: Promise<void> | undefined;
    const createUntilKilled = async (lane: number): Promise<void> => {
      for (let index = 0; !killed; index += 1) {
        const command = { requestId: `killed-${lane}-${index}`, name: 'Ada' };
        const { user } = await clients[0]!
          .createUser(command, admin)
          .catch(() => ({ user: undefined }));
        if (user) acknowledged.push(user);
        if (acknowledged.length >= 150) killed ??= victim.kill();
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, lane) => createUntilKilled(lane)));
    await killed;
    const userIds = acknowledged.map(({ id }) => id);
    const { users } = await clients[1]!.batchGetUsers({ userIds }, admin);
    expect(users).toEqual(acknowledged);
    await victim.restart();
    const [first] = acknowledged;
    await expect(clients[0]!.getUser({ userId: first!.id }, admin)).resolves.toEqual({
      user: first,
    });
  });
});
