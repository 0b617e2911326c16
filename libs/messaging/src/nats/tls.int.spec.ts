import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseFreePort, findServer, findWorkspaceRoot } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { generate } from 'selfsigned';
import { TestLog } from '../test-support/fixtures';
import { connectNats, type NatsOptions } from './connect-nats';

const password = 'of-a-server-with-tls';

/** A certificate that is its own CA. */
function certificateFor(name: string) {
  return generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
}

/** The server accepts one user and requires TLS. */
describe('a NATS server with TLS', () => {
  let folder: string;
  let server: ChildProcess;
  let port: number;
  let ca: Buffer;
  let otherCa: Buffer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-nats-tls-'));
    port = await chooseFreePort();
    const [own, other] = await Promise.all([certificateFor('localhost'), certificateFor('other')]);
    [ca, otherCa] = [Buffer.from(own.cert), Buffer.from(other.cert)];
    const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
    await writeFile(files.cert, own.cert);
    await writeFile(files.key, own.private);
    const config = [
      `listen: "127.0.0.1:${port}"`,
      `log_file: "${join(folder, 'log')}"`,
      `tls { cert_file: "${files.cert}", key_file: "${files.key}" }`,
      `authorization { user: identity, password: "${password}" }`,
    ];
    await writeFile(join(folder, 'nats.conf'), config.join('\n'));
    const { DAYCARE_NATS_URL: _, ...env } = process.env;
    const found = findServer('nats', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
    if (found.kind !== 'binary') throw new Error('nats-server not found');
    server = spawn(found.binary.path, ['--config', join(folder, 'nats.conf')], { stdio: 'ignore' });
    await eventually(async () => (await readLog()).includes('Server is ready'));
  });
  afterAll(async () => {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    await rm(folder, { recursive: true });
  });

  const readLog = () => readFile(join(folder, 'log'), 'utf8');
  const urlOf = (scheme: 'nats' | 'tls', secret = password) =>
    `${scheme}://identity:${secret}@localhost:${port}`;
  const connect = (options: Partial<NatsOptions>) =>
    connectNats({ url: urlOf('tls'), name: 'identity', logger: new TestLog(), ...options });

  it('is reached over an encrypted connection by a client with the right CA', async () => {
    const nats = await connect({ tls: { ca } });
    await nats.ping();
    expect(nats.connection.info).toMatchObject({ tls_required: true });
    await nats.close();
  });

  it.each<[string, () => Partial<NatsOptions>, string]>([
    [
      'a wrong password',
      () => ({ url: urlOf('tls', 'wrong'), tls: { ca } }),
      'the server refuses the user or the password',
    ],
    [
      'another server’s CA',
      () => ({ tls: { ca: otherCa } }),
      'the TLS handshake failed (self-signed certificate)',
    ],
    ['no CA', () => ({}), 'the TLS handshake failed (self-signed certificate)'],
  ])('cannot be reached with %s, and the error says why', async (_, options, message) => {
    await expect(connect(options())).rejects.toMatchObject({ name: 'NatsRefusal', message });
  });

  it('receives no password from a client without the right CA', async () => {
    const before = (await readLog()).split('authentication error').length;
    // The server would log a wrong password.
    const url = urlOf('tls', 'wrong');
    await expect(connect({ url, tls: { ca: otherCa } })).rejects.toThrow('TLS handshake failed');
    expect((await readLog()).split('authentication error')).toHaveLength(before);
  });
});
