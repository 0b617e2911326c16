import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import {
  createCredentials,
  findWorkspaceRoot,
  isServing,
  type ServiceName,
} from '@daycare/local-stack';
import { connectMongo } from '@daycare/mongo';
import { startTestStack, type TestStack, type TestStackOptions } from './test-stack';
import { testMongoUrl } from '../test-servers';

describe('a test stack', () => {
  let fixture: string;
  let stack: TestStack | undefined;
  beforeAll(() => {
    const root = findWorkspaceRoot(__dirname);
    fixture = join(root, 'libs/local-stack/fixtures/fake-service.cjs');
  });
  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
  });
  const start = async (options: TestStackOptions): Promise<TestStack> => {
    stack = await startTestStack({ bundleOf: () => fixture, ...options });
    return stack;
  };
  const readEnv = async (httpAddress: string): Promise<Record<string, string>> =>
    (await (await fetch(`http://${httpAddress}/`)).json()) as Record<string, string>;

  it('runs a service’s replicas at different addresses, with the same database and NATS prefix', async () => {
    const { service, addressOf, databaseOf, natsPrefix } = await start({
      services: ['identity', 'social-graph'],
      replicas: { identity: 2 },
      env: { DAYCARE_LOG_LEVEL: 'debug' },
    });
    const [a, b] = [service('identity', 0), service('identity', 1)];
    expect(a.current.grpcAddress).not.toBe(b.current.grpcAddress);
    const [envA, envB] = [
      await readEnv(a.current.httpAddress),
      await readEnv(b.current.httpAddress),
    ];
    expect(envA['DAYCARE_MONGO_DATABASE']).toBe(databaseOf('identity'));
    expect(envB['DAYCARE_MONGO_DATABASE']).toBe(databaseOf('identity'));
    expect(envB).toMatchObject({
      DAYCARE_MONGO_URL: expect.stringContaining(`//${databaseOf('identity')}:`),
      DAYCARE_NATS_PREFIX: natsPrefix,
      DAYCARE_IDENTITY_ADDRESS: addressOf('identity'),
      DAYCARE_LOG_LEVEL: 'debug',
    });
  });

  it('sets a variable for one service only, overriding what is set for all services', async () => {
    const { service, databaseOf } = await start({
      services: ['identity', 'topology'],
      env: { DAYCARE_LOG_LEVEL: 'debug' },
      envOf: { topology: { DAYCARE_LOG_LEVEL: 'warn', DAYCARE_MONGO_URL: 'mongodb://elsewhere' } },
    });
    expect(await readEnv(service('topology').current.httpAddress)).toMatchObject({
      DAYCARE_LOG_LEVEL: 'warn',
      DAYCARE_MONGO_URL: 'mongodb://elsewhere',
    });
    expect(await readEnv(service('identity').current.httpAddress)).toMatchObject({
      DAYCARE_LOG_LEVEL: 'debug',
      DAYCARE_MONGO_URL: expect.stringContaining(`//${databaseOf('identity')}:`),
    });
  });

  it('gives all replicas of a service the same secret, and gives the test the admin’s secret', async () => {
    const { service, credentials, adminMetadata } = await start({
      services: ['identity', 'topology'],
      replicas: { identity: 2, topology: 2 },
    });
    const envOf = (name: ServiceName, replica: number) =>
      readEnv(service(name, replica).current.httpAddress);
    for (const replica of [0, 1]) {
      const { DAYCARE_CREDENTIALS: all = '' } = await envOf('identity', replica);
      expect(JSON.parse(all)).toEqual(credentials);
      const topology = await envOf('topology', replica);
      expect(topology['DAYCARE_SERVICE_CREDENTIAL']).toBe(credentials.services.topology);
      expect(topology['DAYCARE_CREDENTIALS']).toBeUndefined();
    }
    const [scheme, value = ''] = adminMetadata.authorization.split(' ');
    expect(scheme).toBe('Basic');
    expect(Buffer.from(value, 'base64').toString()).toBe(`admin:${credentials.admin}`);
  });

  it('uses the credentials that a test passes', async () => {
    const credentials = { ...createCredentials(), clients: { console: 'a-secret-of-a-client' } };
    const { service } = await start({ services: ['identity'], credentials });
    const { DAYCARE_CREDENTIALS: all = '' } = await readEnv(
      service('identity').current.httpAddress,
    );
    expect(JSON.parse(all)).toEqual(credentials);
  });

  it('without identity, gives services an identity address at which nothing listens', async () => {
    const { service } = await start({ services: ['topology'] });
    const { DAYCARE_IDENTITY_ADDRESS: identity = '' } = await readEnv(
      service('topology').current.httpAddress,
    );
    await expect(isServing(identity)).rejects.toThrow('ECONNREFUSED');
  });

  it('kills, freezes and restarts a service at the same address', async () => {
    const { service, addressOf } = await start({ services: ['identity'] });
    const identity = service('identity');
    const address = addressOf('identity');
    identity.pause();
    await expect(isServing(address, 200)).rejects.toThrow('DEADLINE_EXCEEDED');
    identity.resume();
    expect(await isServing(address)).toBe(true);
    await identity.kill();
    await expect(isServing(address, 200)).rejects.toThrow();
    await identity.restart();
    expect(addressOf('identity')).toBe(address);
    expect(await isServing(address)).toBe(true);
  });

  it('can have its own servers, which keep their addresses when killed and restarted; MongoDB keeps acknowledged data', async () => {
    const { mongo, mongoUrl, natsUrl, nats } = await start({ services: [], ownServers: true });
    expect(mongoUrl).not.toBe(testMongoUrl());
    const client = await connectMongo({ url: mongoUrl, database: 'x', appName: 'test' });
    await client.db.collection('things').insertOne({ kept: true });
    await Promise.all([mongo?.kill(), nats?.kill()]);
    await Promise.all([mongo?.restart(), nats?.restart()]);
    expect(mongo?.current.url).toBe(mongoUrl);
    expect(nats?.current.url).toBe(natsUrl);
    expect(await client.db.collection('things').countDocuments()).toBe(1);
    await client.close();
  });

  it('fails with the reason when a service does not start', async () => {
    const env = { FAKE_NAME: 'identity', FAKE_BEHAVIOUR: JSON.stringify({ identity: 'refuse' }) };
    await expect(start({ services: ['identity'], env })).rejects.toThrow(
      /^identity exited with code 78 while starting/,
    );
  });

  it('the error for a service that is not built says what to do', async () => {
    const missing = join(__dirname, 'nowhere.js');
    const starting = start({ services: ['topology'], bundleOf: () => missing });
    await expect(starting).rejects.toThrow(`${missing} does not exist; build it with`);
  });
});
