import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectMongo } from '@daycare/mongo';
import { eventually } from '@daycare/testing';

const cli = join(__dirname, '../../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'daycare-cluster-e2e-'));
const dataDir = join(folder, 'data');
const { DAYCARE_MONGO_URL: _mongo, DAYCARE_NATS_URL: _nats, ...inherited } = process.env;
const env = { ...inherited, DAYCARE_CONFIG: join(folder, 'config.yaml') };
let launcher: ChildProcess;
let screen = '';

/** Runs a command that must succeed; resolves with its output. */
async function run(argv: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [cli, ...argv, '--data-dir', dataDir, '-o', 'json'], {
    env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(output);
  return output;
}

beforeAll(async () => {
  launcher = spawn(process.execPath, [cli, 'up', '--cluster', '--data-dir', dataDir], { env });
  for (const stream of [launcher.stdout!, launcher.stderr!])
    stream.on('data', (bytes: Buffer) => (screen += bytes.toString()));
  await eventually(() => screen.includes('Press Ctrl-C') || launcher.exitCode !== null, {
    timeoutMs: 170_000,
  });
});
afterAll(async () => {
  if (launcher.exitCode === null) {
    launcher.kill('SIGINT');
    await once(launcher, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('daycare up --cluster', () => {
  it('the demo passes on a sharded MongoDB with two processes per service, and every collection has been sharded as declared', async () => {
    expect(screen).toMatch(/MongoDB 8[^]*agent-runtime-2[^]*Daycare is ready/);
    const { ok } = JSON.parse(await run(['demo', '--keep'])) as { ok: boolean };
    expect(ok).toBe(true);
    const { collections } = JSON.parse(await run(['admin', 'shard'])) as {
      collections: { database: string; collection: string; outcome: string }[];
    };
    expect(collections.filter(({ outcome }) => outcome === 'sharded')).toEqual([]);
    const url = readFileSync(join(dataDir, 'mongo', 'url'), 'utf8').trim();
    const mongo = await connectMongo({ url, database: 'identity', appName: 'test' });
    const declared = collections.map(({ database, collection }) => `${database}.${collection}`);
    for (const database of new Set(collections.map((entry) => entry.database))) {
      const existing = await mongo.client.db(database).listCollections().toArray();
      expect(declared).toEqual(
        expect.arrayContaining(existing.map(({ name }) => `${database}.${name}`)),
      );
    }
    await mongo.close();
  });

  it('daycare logs shows the lines of both processes of a service', async () => {
    const logged = JSON.parse(await run(['logs', 'identity', '--lines', '1000'])) as {
      service: string;
    }[];
    const processes = new Set(logged.map(({ service }) => service));
    expect([...processes].sort()).toEqual(['identity', 'identity-2']);
  });
});
