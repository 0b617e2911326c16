import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { isServing, processStartTime, serviceNames } from '@daycare/local-stack';
import { createRpcClient, type CallOptions, type RpcClient } from '@daycare/rpc';
import { eventually } from '@daycare/testing';

interface RunRecord {
  readonly children: readonly { readonly name: string; readonly pid: number }[];
}

const dataDir = mkdtempSync(join(tmpdir(), 'daycare-up-e2e-'));
const readyTimeout = { timeoutMs: 30_000 };
let launcher: ChildProcess;
let screen = '';

const children = (): RunRecord['children'] =>
  (JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunRecord).children;
const pidOf = (part: string): number | undefined =>
  children().find(({ name }) => name === part)?.pid;
const addressOf = (service: string): string =>
  new RegExp(`^ *${service} +(?:http://)?(127\\.0\\.0\\.1:\\d+)`, 'm').exec(screen)![1]!;

/** Returns the credential that the launcher has created in the data folder. */
const admin = (): CallOptions => {
  const [, authorization] = readFileSync(join(dataDir, 'admin.header'), 'utf8').trim().split(': ');
  return { metadata: { authorization: authorization! } };
};

beforeAll(async () => {
  const cli = join(__dirname, '../../dist/cli/main.js');
  const { DAYCARE_MONGO_URL: _mongo, DAYCARE_NATS_URL: _nats, ...env } = process.env;
  launcher = spawn(process.execPath, [cli, 'up', '--data-dir', dataDir], { env });
  for (const stream of [launcher.stdout!, launcher.stderr!]) {
    stream.on('data', (bytes: Buffer) => (screen += bytes.toString()));
  }
  await eventually(() => screen.includes('Press Ctrl-C to stop everything.'), readyTimeout);
});
afterAll(() => {
  launcher.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Creates users until stopped, and records those that were acknowledged. */
function keepCreating(client: RpcClient<typeof IdentityServiceService>) {
  const acknowledged: User[] = [];
  let stopped = false;
  const lane = async (number: number): Promise<void> => {
    for (let index = 0; !stopped; index += 1) {
      const command = { requestId: `up-${number}-${index}`, name: 'Ada' };
      const { user } = await client.createUser(command, admin()).catch(() => ({ user: undefined }));
      if (user) acknowledged.push(user);
    }
  };
  const allLanes = Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)));
  return {
    acknowledged,
    async stop() {
      stopped = true;
      await allLanes;
    },
  };
}

describe('the stack that daycare up runs', () => {
  it.each([...serviceNames, 'gateway'])(
    'daycare up runs %s at the address it prints',
    async (service) => {
      await expect(isServing(addressOf(service))).resolves.toBe(true);
    },
  );

  it('daycare up prints a link that signs a browser in and works only once', async () => {
    const [link] = /http:\/\/127\.0\.0\.1:\d+\/sign-in\?code=dcc_\S+/.exec(screen)!;
    const { origin, searchParams } = new URL(link);
    const body = new URLSearchParams({ code: searchParams.get('code')! });
    const post = () =>
      fetch(`${origin}/sign-in`, { method: 'POST', body, redirect: 'manual', headers: { origin } });
    const first = await post();
    const [cookie = ''] = first.headers.getSetCookie();
    expect([first.status, cookie]).toEqual([303, expect.stringContaining('HttpOnly')]);
    const accept = 'text/html';
    const home = await fetch(origin, { headers: { accept, cookie: cookie.split(';')[0]! } });
    expect([home.url, await home.text()]).toEqual([
      `${origin}/`,
      expect.stringContaining('<title>Daycare</title>'),
    ]);
    expect((await post()).status).toBe(401);
  });

  it.each(['mongod', 'nats-server'])(
    'daycare up restarts %s after kill -9, and no acknowledged user is lost',
    async (part) => {
      const client = createRpcClient(IdentityServiceService, { address: addressOf('identity') });
      const load = keepCreating(client);
      const { acknowledged } = load;
      try {
        await eventually(() => acknowledged.length > 50, readyTimeout);
        const killed = pidOf(part);
        process.kill(killed!, 'SIGKILL');
        await eventually(() => pidOf(part) !== undefined && pidOf(part) !== killed, readyTimeout);
        const before = acknowledged.length;
        await eventually(() => acknowledged.length > before + 50, readyTimeout);
      } finally {
        await load.stop();
      }
      for (let from = 0; from < acknowledged.length; from += 1_000) {
        const expected = acknowledged.slice(from, from + 1_000);
        const { users } = await client.batchGetUsers(
          { userIds: expected.map(({ id }) => id) },
          admin(),
        );
        expect(users).toEqual(expected);
      }
      client.close();
    },
    90_000,
  );

  it('daycare up stops everything on Ctrl-C and leaves no process running', async () => {
    const pids = children().map(({ pid }) => pid);
    expect(pids).toHaveLength(7);
    launcher.kill('SIGINT');
    const [code] = (await once(launcher, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(pids.filter((pid) => processStartTime(pid) !== undefined)).toEqual([]);
  });
});
