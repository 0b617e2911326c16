import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseFreePort, findWorkspaceRoot } from '@daycare/local-stack';
import { examineMachine } from './examine-machine';
import { examinePorts, examineServers } from './examine-servers';

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daycare-doctor-'));
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the real servers', () => {
  it('are found, and run', async () => {
    const { DAYCARE_MONGO_URL: _mongo, DAYCARE_NATS_URL: _nats, ...env } = process.env;
    const workspaceRoot = findWorkspaceRoot(__dirname);
    expect(await examineServers({ workspaceRoot, dataDir: folder, env })).toMatchObject([
      { name: 'MongoDB', status: 'ok', found: expect.stringMatching(/^\d+\.\d+\.\d+, from/) },
      { name: 'NATS', status: 'ok', found: expect.stringMatching(/^\d+\.\d+\.\d+, from/) },
    ]);
  });

  it('that are nowhere are said to be, with the ways to have them', async () => {
    const checks = await examineServers({
      workspaceRoot: folder,
      dataDir: folder,
      env: { PATH: folder },
    });
    expect(checks).toMatchObject([
      {
        name: 'MongoDB',
        status: 'fail',
        advice: expect.stringMatching(/^Install mongod .*DAYCARE_/),
      },
      { name: 'NATS', status: 'fail', advice: expect.stringMatching(/^Install nats-server/) },
    ]);
  });

  it('that do not run, or do not answer, are said not to', async () => {
    const env = { DAYCARE_MONGOD: '/bin/false', DAYCARE_NATS_URL: 'nats://127.0.0.1:1' };
    const checks = await examineServers({ workspaceRoot: folder, dataDir: folder, env });
    expect(checks).toMatchObject([
      { status: 'fail', found: expect.stringContaining('/bin/false does not run') },
      { status: 'fail', found: expect.stringContaining('nats://127.0.0.1:1') },
    ]);
    expect(checks.map(({ advice }) => advice)).not.toContain('');
  });
});

describe('a port', () => {
  it('that somebody else has is said to be taken, by whom, and how to choose another', async () => {
    const { port } = server.address() as AddressInfo;
    const checks = await examinePorts(
      { identity: port, topology: await chooseFreePort() },
      undefined,
    );
    const holder = process.platform === 'linux' ? `process ${process.pid}` : 'another program';
    expect(checks.find(({ name }) => name === `port ${port}`)).toMatchObject({
      status: 'fail',
      found: expect.stringContaining(holder),
      advice: expect.stringContaining('DAYCARE_IDENTITY_PORT'),
    });
    expect(checks.some(({ found }) => found === 'free for topology')).toBe(true);
  });

  it('that the running stack has is all right', async () => {
    const { port } = server.address() as AddressInfo;
    const stack = {
      dataDir: folder,
      addresses: { identity: `127.0.0.1:${port}` },
      readAdminAuthorization: () => undefined,
    };
    const checks = await examinePorts({ identity: port }, stack);
    expect(checks[0]).toMatchObject({ status: 'ok', found: 'identity of the running stack' });
  });
});

describe('a machine', () => {
  it('with a users dir that cannot be made and no bubblewrap is told so', async () => {
    const env = { PATH: folder, DAYCARE_USERS_DIR: '/dev/null/users', DAYCARE_EXEC_ENABLED: 'on' };
    const checks = await examineMachine({ workspaceRoot: folder, dataDir: folder, env });
    const statusOf = (wanted: string) => checks.find(({ name }) => name === wanted);
    expect(statusOf('users dir')).toMatchObject({ status: 'fail' });
    expect(statusOf('bubblewrap')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('not installed'),
    });
    expect(statusOf('build')).toMatchObject({ status: 'warn' });
    expect(statusOf('packages')).toMatchObject({ status: 'warn', found: 'not installed' });
  });
});
