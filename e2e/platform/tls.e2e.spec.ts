import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChannelCredentials } from '@grpc/grpc-js';
import { generate } from 'selfsigned';
import { basicAuthorization } from '@daycare/auth';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SignalState, TopologyServiceService } from '@daycare/contracts/topology';
import { channelCredentials, createRpcClient, type TlsMaterial } from '@daycare/rpc';
import { eventually, testMongoUrl, testNatsUrl, uniqueName } from '@daycare/testing';

const folder = mkdtempSync(join(tmpdir(), 'daycare-tls-'));
const children: ChildProcess[] = [];
/** The output of each service so far. */
const outputs = new Map<ChildProcess, string>();
const secret = 'a-secret-that-is-long-enough';
const database = uniqueName('tls');
const inTenDays = new Date(Date.now() + 10 * 24 * 3_600_000);
let tls: TlsMaterial;
let serverEnv: Record<string, string>;
let addresses: { identity: string; topology: string; gateway: string };

/** Writes certificates to files, as an operator would mount them; returns the variables that name the files. */
async function writeCertificates(): Promise<Record<string, string>> {
  const { leaf, ca } = await certify();
  return writeFiles({ CERT: leaf.cert, KEY: leaf.private, CA: ca.cert });
}

/**
 * Creates a new certificate authority and one certificate, which all services use; also assigns both to `tls`, for this
 * test's clients.
 */
async function certify() {
  const ca = await generate([{ name: 'commonName', value: 'Daycare test CA' }], {
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
    notAfterDate: inTenDays,
  });
  const leaf = await generate([{ name: 'commonName', value: 'daycare' }], {
    ca: { key: ca.private, cert: ca.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    notAfterDate: inTenDays,
  });
  tls = {
    cert: Buffer.from(leaf.cert),
    key: Buffer.from(leaf.private),
    ca: Buffer.from(ca.cert),
    clients: 'require',
  };
  return { ca, leaf };
}

function writeFiles(files: Record<string, string>): Record<string, string> {
  const entries = Object.entries(files).map(([name, pem]) => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, pem);
    return [`DAYCARE_TLS_${name}_FILE`, path];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

async function start(service: string, env: Record<string, string>): Promise<string> {
  const anyPorts = { DAYCARE_LISTEN: 'localhost:0', DAYCARE_HTTP_LISTEN: '127.0.0.1:0' };
  const bundle = join(__dirname, '../../dist', service, 'main.js');
  const child = spawn(process.execPath, [bundle], { env: { ...anyPorts, ...env } });
  children.push(child);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => outputs.set(child, outputOf(child) + bytes.toString()));
  }
  await eventually(() => outputOf(child).includes('"event":"ready"'));
  return /"grpc":"([^"]+)"/.exec(outputOf(child))![1]!;
}

function outputOf(child: ChildProcess): string {
  return outputs.get(child) ?? '';
}

function startIdentity(listen: string): Promise<string> {
  return start('identity', {
    ...serverEnv,
    DAYCARE_LISTEN: listen,
    DAYCARE_MONGO_DATABASE: database,
    DAYCARE_CREDENTIALS: JSON.stringify({ admin: secret, services: { topology: secret } }),
  });
}

beforeAll(async () => {
  const certificates = await writeCertificates();
  serverEnv = {
    ...certificates,
    DAYCARE_TLS_RELOAD_MS: '100',
    DAYCARE_MONGO_URL: testMongoUrl(),
    DAYCARE_NATS_URL: testNatsUrl(),
    DAYCARE_NATS_PREFIX: database,
  };
  const identity = await startIdentity('localhost:0');
  const topology = await start('topology', {
    ...serverEnv,
    DAYCARE_MONGO_DATABASE: `${database}-topology`,
    DAYCARE_IDENTITY_ADDRESS: identity,
    DAYCARE_AGENT_RUNTIME_ADDRESS: '127.0.0.1:9',
    DAYCARE_SOCIAL_GRAPH_ADDRESS: '127.0.0.1:9',
    DAYCARE_SERVICE_CREDENTIAL: secret,
  });
  const gateway = await start('gateway', {
    ...certificates,
    DAYCARE_TLS_RELOAD_MS: '100',
    DAYCARE_IDENTITY_ADDRESS: identity,
    DAYCARE_TOPOLOGY_ADDRESS: topology,
    DAYCARE_AGENT_RUNTIME_ADDRESS: '127.0.0.1:9',
    DAYCARE_SOCIAL_GRAPH_ADDRESS: '127.0.0.1:9',
    DAYCARE_GATEWAY_TLS_CERT_FILE: join(folder, 'CERT.pem'),
    DAYCARE_GATEWAY_TLS_KEY_FILE: join(folder, 'KEY.pem'),
  });
  addresses = { identity, topology, gateway };
});
afterAll(() => {
  children.forEach((child) => child.kill('SIGKILL'));
  rmSync(folder, { recursive: true, force: true });
});

describe('mutual TLS', () => {
  it('services with mutual TLS fetch keys from identity and accept its tokens', async () => {
    const credentials = channelCredentials(tls);
    const identity = createRpcClient(IdentityServiceService, {
      address: addresses.identity,
      credentials,
    });
    const topology = createRpcClient(TopologyServiceService, {
      address: addresses.topology,
      credentials,
    });
    const admin = { metadata: { authorization: basicAuthorization('admin', secret) } };
    const { user } = await identity.createUser({ requestId: 'ada', name: 'Ada' }, admin);
    const request = { userId: user!.id, agentId: '', publicKeyJwk: '' };
    const { tokens } = await identity.issueToken(request, admin);
    const metadata = { authorization: `Bearer ${tokens!.accessToken}` };
    const anySignals = { pageSize: 0, pageToken: '', pattern: '', state: SignalState.UNSPECIFIED };
    await expect(topology.listSignals(anySignals, { metadata })).resolves.toMatchObject({
      signals: [],
    });
    [identity, topology].forEach((client) => client.close());
  });

  it.each(['identity', 'topology'] as const)(
    '%s refuses connections without a client certificate',
    async (service) => {
      const client = createRpcClient(IdentityServiceService, { address: addresses[service] });
      await expect(client.getJwks({}, { timeoutMs: 5_000 })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
      client.close();
    },
  );
});

/** Calls the gateway over HTTP/1.1; resolves with the status and the connection's TLS version. */
async function post(scheme: 'http' | 'https', ca?: Buffer): Promise<unknown[]> {
  const send = scheme === 'https' ? requestTls : requestPlain;
  const path = '/daycare.identity.v1.IdentityService/GetJwks';
  const request = send(`${scheme}://${addresses.gateway}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: false,
    ca,
  });
  request.end('{}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return [response.statusCode, (response.socket as TLSSocket).getProtocol()];
}

describe('the gateway’s listener', () => {
  it('a gateway with TLS calls the services behind it over mutual TLS', async () => {
    expect(await post('https', tls.ca)).toEqual([200, 'TLSv1.3']);
    const client = createRpcClient(IdentityServiceService, {
      address: addresses.gateway,
      credentials: ChannelCredentials.createSsl(tls.ca),
    });
    expect((await client.getJwks({})).jwksJson).toContain('"keys"');
    client.close();
  });

  it('a gateway with TLS is refused by clients that do not trust its certificate authority, and itself refuses plaintext', async () => {
    await expect(post('https')).rejects.toThrow(/certificate/);
    await expect(post('http')).rejects.toThrow();
  });
});

describe('certificates that are renewed', () => {
  /** Fetches identity's keys over a new connection; resolves with undefined if that fails. */
  async function fetchKeys(address: string, certificates: TlsMaterial) {
    const credentials = channelCredentials(certificates);
    const client = createRpcClient(IdentityServiceService, { address, credentials });
    try {
      return (await client.getJwks({}, { timeoutMs: 2_000 })).jwksJson;
    } catch {
      return undefined;
    } finally {
      client.close();
    }
  }

  it('services and clients use renewed certificates without a restart, even if another authority has issued them', async () => {
    const old = tls;
    const { leaf, ca } = await certify();
    // The key is written last, as when files are copied one by one; until it is, the old certificate stays in use.
    writeFiles({ CERT: leaf.cert, CA: ca.cert });
    const [identity] = children;
    await eventually(() => outputOf(identity!).includes('keeping the previous one'));
    expect(await fetchKeys(addresses.identity, old)).toContain('"keys"');
    writeFiles({ KEY: leaf.private });
    await eventually(async () => (await fetchKeys(addresses.identity, tls)) !== undefined);
    expect(await fetchKeys(addresses.identity, old)).toBeUndefined();
    await eventually(async () => (await post('https', tls.ca).catch(() => [0]))[0] === 200);
    await expect(post('https', old.ca)).rejects.toThrow(/certificate/);
    // The gateway's connection to identity ends; for its next connection, the gateway uses the new authority and the
    // new certificate.
    identity!.kill('SIGKILL');
    await once(identity!, 'exit');
    await startIdentity(addresses.identity);
    await eventually(async () => (await post('https', tls.ca).catch(() => [0]))[0] === 200);
  });
});
