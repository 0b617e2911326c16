import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ChannelCredentials } from '@grpc/grpc-js';
import { generate } from 'selfsigned';
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthService,
} from '@daycare/contracts/health';
import type { CallPipeline } from './server/call-pipeline';
import { implementService } from './server/implement-service';
import { createRpcClient } from './client/rpc-client';
import { startRpcServer } from './server/rpc-server';
import { channelCredentials, serverCredentials, type TlsMaterial } from './shared/tls';

interface Authority {
  readonly key: string;
  readonly cert: string;
}

const ec = { keyType: 'ec', algorithm: 'sha256' } as const;
const named = (name: string) => [{ name: 'commonName', value: name }];

async function createAuthority(name: string): Promise<Authority> {
  const { private: key, cert } = await generate(named(name), {
    ...ec,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return { key, cert };
}

interface CertificateOptions {
  readonly name?: string;
  readonly from?: Date;
  readonly until?: Date;
}

async function certify(ca: Authority, options: CertificateOptions = {}): Promise<TlsMaterial> {
  const { name = 'localhost', from: notBeforeDate, until: notAfterDate } = options;
  const dates = { ...(notBeforeDate && { notBeforeDate }), ...(notAfterDate && { notAfterDate }) };
  const generated = await generate(named(name), { ...ec, ...dates, ca });
  const [cert, key] = [Buffer.from(generated.cert), Buffer.from(generated.private)];
  return { cert, key, ca: Buffer.from(ca.cert), clients: 'require' };
}

let ours: Authority;
/** Has the same name as `ours` but another key. */
let namesake: Authority;
let foreign: Authority;
let identity: TlsMaterial;
beforeAll(async () => {
  ours = await createAuthority('Daycare CA');
  namesake = await createAuthority('Daycare CA');
  foreign = await createAuthority('Foreign CA');
  identity = await certify(ours);
});

const silent = () => undefined;
const pipeline: CallPipeline = {
  authenticate: () => ({ kind: 'anonymous' }),
  limit: silent,
  observe: silent,
  log: { debug: silent, info: silent, warn: silent, error: silent },
  defaultTimeoutMs: 1_000,
};

const cleanups: (() => void)[] = [];
let answered = 0;
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
  answered = 0;
});

async function serve(tls?: TlsMaterial): Promise<number> {
  const open = {
    roles: { check: ['anyone'], watch: ['anyone'] },
    scopes: { check: 'any', watch: 'any' },
  } as const;
  const health = implementService('grpc.health.v1.Health', HealthService, open, {
    check: async () => {
      answered += 1;
      return { status: ServingStatus.SERVING };
    },
  });
  const credentials = serverCredentials(tls);
  const listen = '127.0.0.1:0';
  const server = await startRpcServer({ listen, services: [health], pipeline, credentials });
  // Not awaited: each test has its own port.
  cleanups.push(() => void server.drain(0));
  return Number(server.address.split(':')[1]);
}

function call(port: number, credentials: ChannelCredentials) {
  const client = createRpcClient(HealthService, { address: `localhost:${port}`, credentials });
  cleanups.push(() => client.close());
  return client.check({ service: '' });
}

async function expectAnswer(port: number, credentials: ChannelCredentials): Promise<void> {
  await expect(call(port, credentials)).resolves.toEqual({ status: ServingStatus.SERVING });
}

async function expectRefusal(port: number, credentials: ChannelCredentials): Promise<void> {
  const before = answered;
  await expect(call(port, credentials)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(answered).toBe(before);
}

const onlyTls11 = {
  minVersion: 'TLSv1.1',
  maxVersion: 'TLSv1.1',
  // With OpenSSL's default, this side would reject the version before the other can.
  ciphers: 'DEFAULT@SECLEVEL=0',
} as const;

describe('a server that requires certificates', () => {
  it('accepts a client with a certificate from its CA', async () => {
    const port = await serve(identity);
    await expectAnswer(port, channelCredentials(await certify(ours, { name: 'social-graph' })));
  });

  it('rejects a client without a certificate', async () => {
    const port = await serve(identity);
    await expectRefusal(port, ChannelCredentials.createSsl(identity.ca));
  });

  it.each([
    ['another CA', () => certify(foreign)],
    ['another CA with the same name', () => certify(namesake)],
    [
      'its CA, after the certificate has expired',
      () => certify(ours, { from: new Date(0), until: new Date(1) }),
    ],
    [
      'its CA, before the certificate is valid',
      () => certify(ours, { from: new Date(Date.now() + 1e9) }),
    ],
  ])('rejects a client with a certificate from %s', async (_, make) => {
    const port = await serve(identity);
    await expectRefusal(port, channelCredentials({ ...(await make()), ca: identity.ca }));
  });

  it('rejects a plaintext client', async () => {
    await expectRefusal(await serve(identity), channelCredentials());
  });

  it('does not accept TLS 1.1', async () => {
    const port = await serve(identity);
    const socket = connect({ ...identity, ...onlyTls11, port, servername: 'localhost' });
    await expect(once(socket, 'secureConnect')).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
  });
});

describe('a server that accepts any client', () => {
  it('accepts a client without a certificate', async () => {
    const port = await serve({ ...identity, clients: 'any' });
    await expectAnswer(port, ChannelCredentials.createSsl(identity.ca));
  });

  it('still rejects a plaintext client', async () => {
    await expectRefusal(await serve({ ...identity, clients: 'any' }), channelCredentials());
  });
});

describe('a client', () => {
  it.each([
    ['another CA', () => foreign],
    ['another CA with the same name', () => namesake],
  ])('rejects a server with a certificate from %s', async (_, authority) => {
    const port = await serve({ ...(await certify(authority())), clients: 'any' });
    await expectRefusal(port, channelCredentials(identity));
  });

  it('rejects a server with a certificate for another name', async () => {
    await expectAnswer(await serve(identity), channelCredentials(identity));
    const otherPort = await serve(await certify(ours, { name: 'identity' }));
    await expectRefusal(otherPort, channelCredentials(identity));
  });

  it('rejects a plaintext server', async () => {
    await expectRefusal(await serve(), channelCredentials(identity));
  });

  it('does not accept TLS 1.1', async () => {
    const server = createServer({ ...identity, ...onlyTls11 }).listen(0, '127.0.0.1');
    cleanups.push(() => server.close());
    await once(server, 'listening');
    const failure = once(server, 'tlsClientError');
    await expectRefusal((server.address() as AddressInfo).port, channelCredentials(identity));
    expect(await failure).toMatchObject([{ code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' }, {}]);
  });
});

describe('without certificates', () => {
  it('client and server use plaintext', async () => {
    await expectAnswer(await serve(), channelCredentials());
  });
});
