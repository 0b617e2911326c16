import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, testMongoUrl, testNatsUrl } from '@daycare/testing';
import { adminHeaderFile } from '../credentials/credentials-file';
import { processStartTime } from '../process/process-identity';
import { holdPort, releasePort } from '../servers/ports';
import { acceptsConnections } from '../servers/running-server';
import { isServing } from '../services/check-health';
import { appNames, type AppName } from '../services/service-catalog';
import { findWorkspaceRoot } from '../workspace-root';
import { LocalStack } from './local-stack';
import type { LocalStackOptions } from './local-stack-options';
import type { StackEvent } from './stack-event';
import { readStackFile, stackFile, writeStackFile, type StackRecord } from './stack-file';

const fixture = join(__dirname, '../../fixtures/fake-service.cjs');

describe('LocalStack', () => {
  let folder: string;
  let stack: LocalStack | undefined;
  let events: StackEvent[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-stack-'));
    events = [];
  });
  afterEach(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Makes a stack of fake services: each has a bundle that tells the fake service its name. */
  const makeStack = async (
    options: Partial<LocalStackOptions> & { behaviour?: object; ownServers?: boolean } = {},
  ): Promise<LocalStack> => {
    const { behaviour = {}, ownServers = false, env = {}, ...rest } = options;
    const servers = { DAYCARE_MONGO_URL: testMongoUrl(), DAYCARE_NATS_URL: testNatsUrl() };
    const bundles = Object.fromEntries(
      await Promise.all(appNames.map(async (name) => [name, await writeBundle(name)] as const)),
    ) as Record<AppName, string>;
    stack = new LocalStack({
      workspaceRoot: findWorkspaceRoot(__dirname),
      dataDir: join(folder, 'data'),
      env: {
        PATH: process.env['PATH'],
        FAKE_BEHAVIOUR: JSON.stringify(behaviour),
        ...(ownServers ? {} : servers),
        ...env,
      },
      bundleOf: (name) => bundles[name],
      onEvent: (event) => events.push(event),
      shutdownTimeoutMs: 500,
      ...rest,
    });
    return stack;
  };
  const writeBundle = async (name: string): Promise<string> => {
    const file = join(folder, `${name}.cjs`);
    await writeFile(file, `process.env.FAKE_NAME = '${name}';\nrequire('${fixture}');\n`);
    return file;
  };
  const findEvent = <T extends StackEvent['type']>(type: T, part?: string) =>
    events.find(
      (event): event is Extract<StackEvent, { type: T }> =>
        event.type === type && (part === undefined || ('part' in event && event.part === part)),
    );
  const childPids = async (): Promise<number[]> => {
    const text = await readFile(join(folder, 'data', 'run.json'), 'utf8');
    const { children } = JSON.parse(text) as { children: { pid: number }[] };
    return children.map(({ pid }) => pid);
  };

  it('starts servers and services with the addresses of their peers, and stops without leaving anything behind', async () => {
    const running = await makeStack({ ownServers: true });
    const { mongo, nats, services } = await running.start();
    expect(services.map(({ name }) => name)).toEqual([...appNames]);
    for (const { grpcAddress } of services) expect(await isServing(grpcAddress)).toBe(true);
    const env = await (await fetch(`http://${services[1]!.httpAddress}/`)).json();
    expect(env).toMatchObject({
      DAYCARE_MONGO_URL: mongo.urlOf('social-graph'),
      DAYCARE_NATS_URL: nats.urlOf('social-graph'),
      DAYCARE_IDENTITY_ADDRESS: services[0]!.grpcAddress,
      DAYCARE_TOPOLOGY_ADDRESS: services[3]!.grpcAddress,
      DAYCARE_SERVICE_CREDENTIAL: running.credentials.services['social-graph'],
    });
    const dataDir = join(folder, 'data');
    expect(readStackFile(dataDir)).toMatchObject({ services, adminHeader: adminHeaderFile });
    const pids = await childPids();
    expect(pids).toHaveLength(7);
    await running.stop();
    expect(readStackFile(dataDir)).toBeUndefined();
    expect(pids.filter((pid) => processStartTime(pid) !== undefined)).toEqual([]);
    expect(existsSync(join(folder, 'data', 'run.json'))).toBe(false);
    const stopped = events.flatMap((event) => (event.type === 'stopped' ? [event.part] : []));
    expect(stopped.slice(-2)).toEqual(['nats', 'mongo']);
  });

  it.each(['mongo', 'nats'] as const)(
    'restarts %s at the same address after kill -9',
    async (part) => {
      const running = await makeStack({ ownServers: true, services: [] });
      const { [part]: server } = await running.start();
      const pid = running.pidOf(part)!;
      process.kill(pid, 'SIGKILL');
      await eventually(() => findEvent('restarted', part));
      const port = Number(new URL(server.urlOf('identity')).port);
      await eventually(() => acceptsConnections(port));
      expect(findEvent('exited', part)?.exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect(running.pidOf(part)).not.toBe(pid);
    },
  );

  it('does not report a stack as running when its launcher has been killed', () => {
    writeStackFile(folder, []);
    expect(readStackFile(folder)).toBeDefined();
    const file = join(folder, stackFile);
    const record = JSON.parse(readFileSync(file, 'utf8')) as StackRecord;
    const launcher = { ...record.launcher, start: 'long ago' };
    writeFileSync(file, JSON.stringify({ ...record, launcher }));
    expect(readStackFile(folder)).toBeUndefined();
  });

  it('reports a crashed service with its last lines and restarts it at the same address', async () => {
    const running = await makeStack({ services: ['identity'] });
    const { services } = await running.start();
    process.kill(running.pidOf('identity')!, 'SIGKILL');
    await eventually(() => findEvent('restarted', 'identity'));
    expect(findEvent('exited', 'identity')?.lastLines.join('\n')).toContain('"event":"ready"');
    expect(await isServing(services[0]!.grpcAddress)).toBe(true);
  });

  it('fails with the message of a service that refuses to start, and leaves nothing running', async () => {
    const running = await makeStack({ behaviour: { topology: 'refuse' } });
    await expect(running.start()).rejects.toThrow(
      'topology exited with code 78 while starting.\n' +
        'topology: DAYCARE_LOG_LEVEL is "loud"; it must be debug, info or warn.',
    );
    expect(existsSync(join(folder, 'data', 'run.json'))).toBe(false);
    expect(appNames.map((name) => running.pidOf(name)).filter(isAlive)).toEqual([]);
  });

  it('quotes the stack trace of a service that crashes while starting', async () => {
    const running = await makeStack({ behaviour: { identity: 'crash' } });
    await expect(running.start()).rejects.toThrow(
      /^identity exited with code 1 while starting\.\n[^]*the fake service crashed/,
    );
  });

  it('stops a stack that is still starting', async () => {
    const running = await makeStack({ behaviour: { topology: 'silent' } });
    const starting = running.start();
    starting.catch(() => undefined);
    await eventually(() => running.pidOf('topology'));
    await running.stop();
    await expect(starting).rejects.toThrow();
    expect(appNames.map((name) => running.pidOf(name)).filter(isAlive)).toEqual([]);
  });

  it('kills a service that ignores SIGTERM', async () => {
    const running = await makeStack({
      services: ['identity'],
      behaviour: { identity: 'stubborn' },
    });
    await running.start();
    const pid = running.pidOf('identity');
    await running.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('the error for a configured port that is in use names the port and the service', async () => {
    const held = await holdPort(0);
    const { port } = held!.address() as { port: number };
    const running = await makeStack({ ports: { identity: port } });
    await expect(running.start()).rejects.toThrow(
      `Port ${port}, configured for identity, is in use`,
    );
    await releasePort(held!);
  });

  it('the error for an external server that is not responding names the variable and hides the password', async () => {
    const running = await makeStack({ env: { DAYCARE_NATS_URL: 'nats://me:secret@127.0.0.1:1' } });
    await expect(running.start()).rejects.toThrow(
      /^The server in DAYCARE_NATS_URL \(nats:\/\/me:\*\*\*@127\.0\.0\.1:1\) cannot be used/,
    );
  });

  it('deletes earlier data, and nothing else, when started fresh', async () => {
    await (await makeStack({ services: ['identity'] })).start();
    await stack!.stop();
    await writeFile(join(folder, 'data', 'notes.txt'), 'mine');
    await writeFile(join(folder, 'data', 'logs', 'old.log'), 'old');
    await (await makeStack({ services: ['identity'], fresh: true })).start();
    expect(existsSync(join(folder, 'data', 'logs', 'old.log'))).toBe(false);
    expect(existsSync(join(folder, 'data', 'notes.txt'))).toBe(true);
  });
});

function isAlive(pid: number | undefined): boolean {
  return pid !== undefined && processStartTime(pid) !== undefined;
}
