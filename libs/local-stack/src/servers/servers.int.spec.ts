import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMongo } from '@daycare/mongo';
import { connect } from 'nats';
import { processStartTime } from '../process/process-identity';
import { findWorkspaceRoot } from '../workspace-root';
import { findServer, type ServerBinary, type ServerKind } from './find-server';
import { holdPort, releasePort } from './ports';
import type { RunningServer } from './running-server';
import { startMongod } from './mongo/start-mongod';
import { createNatsPasswords } from '../credentials/nats-passwords';
import { startNatsServer } from './nats/start-nats-server';

const workspaceRoot = findWorkspaceRoot(__dirname);
const env = process.env;

function findBinary(kind: ServerKind): ServerBinary {
  const { DAYCARE_MONGO_URL: _mongo, DAYCARE_NATS_URL: _nats, ...withoutUrls } = env;
  const found = findServer(kind, { env: withoutUrls, workspaceRoot });
  if (found.kind === 'url') throw new Error('no server program found');
  return found.binary;
}

const user = { user: 'test', pass: 'things' };
const access = { passwords: createNatsPasswords(), prefix: 'daycare', testPassword: user.pass };

describe('local servers', () => {
  let folder: string;
  const running = new Set<RunningServer>();
  const track = (server: RunningServer): RunningServer => {
    running.add(server);
    return server;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-servers-'));
  });
  afterAll(async () => {
    await Promise.all([...running].map((server) => server.stop(1_000)));
    await rm(folder, { recursive: true, force: true });
  });

  const mongod = async (name: string, port?: number): Promise<RunningServer> =>
    track(
      await startMongod({
        binary: findBinary('mongo'),
        dataDir: join(folder, name),
        env,
        ...(port === undefined ? {} : { port }),
      }),
    );
  const nats = async (name: string, port?: number): Promise<RunningServer> =>
    track(
      await startNatsServer({
        binary: findBinary('nats'),
        dataDir: join(folder, name),
        env,
        access,
        ...(port === undefined ? {} : { port }),
      }),
    );

  const count = async (url: string): Promise<number> => {
    const mongo = await connectMongo({ url, database: 'things', appName: 'test' });
    try {
      return await mongo.db.collection('things').countDocuments();
    } finally {
      await mongo.close();
    }
  };

  it('MongoDB keeps every acknowledged write after kill -9, and its clients reconnect once it runs on the same port again', async () => {
    const first = await mongod('kept');
    const mongo = await connectMongo({ url: first.url, database: 'things', appName: 'test' });
    const inserts = Array.from({ length: 50 }, (_, n) =>
      mongo.db.collection<{ _id: number }>('things').insertOne({ _id: n }),
    );
    await Promise.all(inserts);
    first.kill('SIGKILL');
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const second = await mongod('kept', first.port);
    expect(second.url).toBe(first.url);
    // The existing client reconnects on its own.
    expect(await mongo.db.collection('things').countDocuments()).toBe(50);
    await mongo.close();
    await second.stop();
  });

  it('MongoDB keeps its data and moves to another port when its port is in use', async () => {
    const port = Number(await readFile(join(folder, 'kept', 'port'), 'utf8'));
    const held = await holdPort(port);
    const moved = await mongod('kept');
    expect(moved.port).not.toBe(port);
    expect(await count(moved.url)).toBe(50);
    await moved.stop();
    if (held) await releasePort(held);
  });

  it('when MongoDB’s key file is lost, its users get new passwords, and its address and data are kept', async () => {
    const secrets = ['key', 'url'].map((name) => join(folder, 'kept', name));
    const modes = await Promise.all(secrets.map(async (file) => (await stat(file)).mode & 0o777));
    expect(modes).toEqual([0o600, 0o600]);
    const [url] = await Promise.all([readFile(secrets[1]!, 'utf8'), rm(secrets[0]!)]);
    const again = await mongod('kept');
    expect(new URL(again.url).host).toBe(new URL(url).host);
    expect(await count(again.url)).toBe(50);
    await expect(count(url.trim())).rejects.toThrow(/Authentication failed/);
    await again.stop();
  });

  it('NATS keeps its address and every acknowledged message after kill -9', async () => {
    const first = await nats('nats');
    const connection = await connect({ servers: first.url, ...user, waitOnFirstConnect: true });
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: 'THINGS', subjects: ['things.>'] });
    const publish = (n: number) => connection.jetstream().publish(`things.${n}`);
    await Promise.all(Array.from({ length: 50 }, (_, n) => publish(n)));
    await connection.close();
    first.kill('SIGKILL');
    await first.exited;
    const second = await nats('nats');
    expect(second.url).toBe(first.url);
    const later = await connect({ servers: second.url, ...user });
    const { state } = await (await later.jetstreamManager()).streams.info('THINGS');
    expect(state.messages).toBe(50);
    await later.close();
    await second.stop();
  });

  it('NATS refuses clients without a valid password, and no other user of the machine can read its files', async () => {
    const server = await nats('closed');
    const attempts = [{}, { user: 'identity', pass: 'guess' }, { user: 'test' }];
    for (const attempt of attempts)
      await expect(connect({ servers: server.url, ...attempt, reconnect: false })).rejects.toThrow(
        'Authorization',
      );
    const modeOf = async (path: string) => (await stat(join(folder, 'closed', path))).mode & 0o777;
    expect([await modeOf('.'), await modeOf('nats-server.conf')]).toEqual([0o700, 0o600]);
    await server.stop();
  });

  it('stopping MongoDB and NATS leaves no process behind', async () => {
    const [mongo, natsServer] = await Promise.all([mongod('gone'), nats('gone-nats')]);
    expect(processStartTime(mongo.pid)).toBeDefined();
    await Promise.all([mongo.stop(), natsServer.stop()]);
    expect(processStartTime(mongo.pid)).toBeUndefined();
    expect(processStartTime(natsServer.pid)).toBeUndefined();
  });

  it('a server whose required port is in use fails to start, and the error names the port', async () => {
    const held = await holdPort(0);
    const address = held?.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const sentence = `Port ${port} for NATS is in use by another program`;
    await expect(nats('taken', port)).rejects.toThrow(sentence);
    await expect(mongod('taken', port)).rejects.toThrow(`Port ${port} for MongoDB is in use`);
    if (held) await releasePort(held);
  });

  it('the error for a server that exits while starting states the exit code and that the server wrote nothing', async () => {
    const binary: ServerBinary = { path: '/bin/false', source: 'path' };
    const starting = startNatsServer({ binary, dataDir: join(folder, 'false'), env, access });
    await expect(starting).rejects.toThrow(
      'nats-server exited with code 1 while starting.\nIt wrote nothing.',
    );
  });

  it('the error for a program that cannot be run names its path', async () => {
    const binary: ServerBinary = { path: join(folder, 'nowhere'), source: 'path' };
    const starting = startMongod({ binary, dataDir: join(folder, 'none'), env });
    await expect(starting).rejects.toThrow(/^mongod cannot be run \(.*nowhere\): .*ENOENT/);
  });
});
