import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isServing, serviceNames } from '@daycare/local-stack';
import { testMongoUrl, testNatsUrl, testNatsUrlOf, uniqueName } from '@daycare/testing';
import { useStack } from '../support/stack/use-stack';

interface CommandResult {
  readonly code: number;
  readonly stderr: string;
}

/** Starts a service with only these variables and waits until it exits. */
function startAndFail(service: string, env: Record<string, string>): Promise<CommandResult> {
  const bundle = join(__dirname, '../../dist', service, 'main.js');
  return new Promise((resolve) => {
    execFile(process.execPath, [bundle], { env, timeout: 20_000 }, (error, _stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stderr });
    });
  });
}

const credentials = JSON.stringify({ admin: 'an-admin-secret-for-tests' });
const baseEnv = {
  DAYCARE_LISTEN: '127.0.0.1:0',
  DAYCARE_HTTP_LISTEN: '127.0.0.1:0',
  DAYCARE_CREDENTIALS: credentials,
  DAYCARE_NATS_URL: testNatsUrl(),
  DAYCARE_AGENT_RUNTIME_ADDRESS: '127.0.0.1:9',
  DAYCARE_IDENTITY_ADDRESS: '127.0.0.1:9',
  DAYCARE_SOCIAL_GRAPH_ADDRESS: '127.0.0.1:9',
  DAYCARE_TOPOLOGY_ADDRESS: '127.0.0.1:9',
  DAYCARE_SERVICE_CREDENTIAL: 'a-service-secret-for-tests',
};

describe('failing starts', () => {
  it('a service that cannot start names the missing variable', async () => {
    await expect(startAndFail('identity', baseEnv)).resolves.toEqual({
      code: 78,
      stderr:
        'identity: DAYCARE_MONGO_URL is not set; it must be a URL starting with mongodb:// or mongodb+srv://\n',
    });
  });

  it('a service that cannot start says what is wrong with the credentials without showing them', async () => {
    const DAYCARE_CREDENTIALS = JSON.stringify({ admin: 'too-short' });
    const env = { ...baseEnv, DAYCARE_MONGO_URL: testMongoUrl(), DAYCARE_CREDENTIALS };
    await expect(startAndFail('identity', env)).resolves.toEqual({
      code: 78,
      stderr:
        'identity: DAYCARE_CREDENTIALS must set "admin" to a secret of at least 16 characters, or a list of two different ones\n',
    });
  });

  it.each(serviceNames)('%s lists every invalid variable in its environment', async (service) => {
    const env = {
      ...baseEnv,
      DAYCARE_MONGO_URL: 'mongodb://127.0.0.1',
      DAYCARE_LOG_LEVEL: 'loud',
      DAYCARE_LISTEN: 'here',
    };
    const { code, stderr } = await startAndFail(service, env);
    expect(code).toBe(78);
    expect(stderr.split('\n')).toEqual([
      `${service}: DAYCARE_LISTEN is "here", but must be host:port, e.g. 0.0.0.0:50051`,
      `${service}: DAYCARE_LOG_LEVEL is "loud", but must be one of trace, debug, info, warn, error, fatal, silent`,
      '',
    ]);
  });

  it('a service that cannot start says that its port is taken', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const listen = `127.0.0.1:${port}`;
    const mongo = {
      DAYCARE_MONGO_URL: testMongoUrl(),
      DAYCARE_MONGO_DATABASE: uniqueName('taken'),
    };
    const { code, stderr } = await startAndFail('identity', {
      ...baseEnv,
      ...mongo,
      DAYCARE_LISTEN: listen,
    });
    occupant.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `identity: cannot listen on ${listen}: the port is in use by another program\n`,
    );
  });

  it('a service that cannot start prints the MongoDB URL without the password', async () => {
    const url = 'mongodb://ada:s3cret@127.0.0.1:9/?serverSelectionTimeoutMS=300';
    const { code, stderr } = await startAndFail('identity', {
      ...baseEnv,
      DAYCARE_MONGO_URL: url,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('identity: cannot use MongoDB at mongodb://ada:…@127.0.0.1:9/');
    expect(stderr).not.toContain('s3cret');
  });
});

describe('a service that cannot use NATS as configured', () => {
  const nats = new URL(testNatsUrlOf('identity'));
  const natsAddress = `127.0.0.1:${nats.port}`;
  const start = (env: Record<string, string>) =>
    startAndFail('identity', {
      ...baseEnv,
      DAYCARE_MONGO_URL: testMongoUrl(),
      DAYCARE_MONGO_DATABASE: uniqueName('nats'),
      ...env,
    });

  it('a service with a wrong NATS password says so and exits', async () => {
    const url = `nats://identity:wrong@${natsAddress}`;
    await expect(start({ DAYCARE_NATS_URL: url })).resolves.toEqual({
      code: 1,
      stderr: `identity: cannot use NATS at nats://identity:…@${natsAddress} (DAYCARE_NATS_URL): the server refuses the user or the password\n`,
    });
  });

  it('a service exits with an explanation when it requires TLS and the NATS server does not offer it', async () => {
    const url = nats.href.replace('nats:', 'tls:');
    await expect(start({ DAYCARE_NATS_URL: url })).resolves.toEqual({
      code: 1,
      stderr: `identity: cannot use NATS at tls://identity:…@${natsAddress} (DAYCARE_NATS_URL): the server does not offer TLS, which tls:// requires\n`,
    });
  });

  it('a service whose CA file for NATS is missing says so and exits', async () => {
    const files = {
      DAYCARE_NATS_URL: `tls://${natsAddress}`,
      DAYCARE_NATS_CA_FILE: '/nowhere/ca.pem',
    };
    await expect(start(files)).resolves.toEqual({
      code: 78,
      stderr: 'identity: DAYCARE_NATS_CA_FILE is "/nowhere/ca.pem", which cannot be read: ENOENT\n',
    });
  });
});

describe('the four services', () => {
  const stack = useStack();

  it.each(serviceNames)('%s reports SERVING', async (service) => {
    await expect(isServing(stack.addressOf(service))).resolves.toBe(true);
  });

  it.each(serviceNames)('%s shuts down on SIGTERM with exit code 0', async (service) => {
    const process = stack.service(service);
    process.signal('SIGTERM');
    await expect(process.current.exited).resolves.toMatchObject({ code: 0 });
  });
});
