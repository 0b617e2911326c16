import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseFreePort, findWorkspaceRoot } from '@daycare/local-stack';
import { checkMachine } from './check-machine';
import { checkPorts, checkServers } from './check-servers';

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

describe('checkServers', () => {
  it('finds and runs the real servers', async () => {
    const { DAYCARE_MONGO_URL: _mongo, DAYCARE_NATS_URL: _nats, ...env } = process.env;
    const workspaceRoot = findWorkspaceRoot(__dirname);
    expect(await checkServers({ workspaceRoot, dataDir: folder, env })).toMatchObject([
      { name: 'MongoDB', status: 'ok', found: expect.stringMatching(/^\d+\.\d+\.\d+, from/) },
      { name: 'NATS', status: 'ok', found: expect.stringMatching(/^\d+\.\d+\.\d+, from/) },
    ]);
  });

  it('reports missing servers with ways to install them', async () => {
    const checks = await checkServers({
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

  it('reports servers that do not run or do not respond', async () => {
    const env = { DAYCARE_MONGOD: '/bin/false', DAYCARE_NATS_URL: 'nats://127.0.0.1:1' };
    const checks = await checkServers({ workspaceRoot: folder, dataDir: folder, env });
    expect(checks).toMatchObject([
      { status: 'fail', found: expect.stringContaining('/bin/false does not run') },
      { status: 'fail', found: expect.stringContaining('nats://127.0.0.1:1') },
    ]);
    expect(checks.map(({ advice }) => advice)).not.toContain('');
  });
});

describe('checkPorts', () => {
  it('reports a taken port with its holder and how to choose another', async () => {
    const { port } = server.address() as AddressInfo;
    const checks = await checkPorts(
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

  it('accepts a port held by the running stack', async () => {
    const { port } = server.address() as AddressInfo;
    const stack = {
      dataDir: folder,
      addresses: { identity: `127.0.0.1:${port}` },
      edgeAddress: undefined,
      readAdminAuthorization: () => undefined,
    };
    const checks = await checkPorts({ identity: port }, stack);
    expect(checks[0]).toMatchObject({
      status: 'ok',
      found: 'used by identity in the running stack',
    });
  });
});

describe('checkMachine', () => {
  it('reports an unusable users folder, and missing bubblewrap, builds and packages', async () => {
    const env = { PATH: folder, DAYCARE_USERS_DIR: '/dev/null/users', DAYCARE_EXEC_ENABLED: 'on' };
    const checks = await checkMachine({ workspaceRoot: folder, dataDir: folder, env });
    const checkOf = (check: string) => checks.find(({ name }) => name === check);
    expect(checkOf('users dir')).toMatchObject({ status: 'fail' });
    expect(checkOf('bubblewrap')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('not installed'),
    });
    expect(checkOf('build')).toMatchObject({ status: 'warn' });
    expect(checkOf('packages')).toMatchObject({ status: 'warn', found: 'not installed' });
  });
});
