import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { fixedAuthority } from '@daycare/client/kit';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { implementService, serverCredentials, startRpcServer, type RpcServer } from '@daycare/rpc';
import { connectServices } from './connect';
import type { TlsFiles } from '../contexts/context';

const silent = () => undefined;
const pipeline = {
  authenticate: () => ({ kind: 'anonymous' }) as const,
  limit: silent,
  observe: silent,
  log: { debug: silent, info: silent, warn: silent, error: silent },
  defaultTimeoutMs: 1_000,
};

describe('connectServices, to a server that requires TLS', () => {
  let folder: string;
  let server: RpcServer;
  let tls: Required<TlsFiles>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-tls-'));
    const ec = { keyType: 'ec', algorithm: 'sha256' } as const;
    const named = (value: string) => [{ name: 'commonName', value }];
    const authority = await generate(named('Daycare CA'), {
      ...ec,
      extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
    });
    const ca = { key: authority.private, cert: authority.cert };
    const pair = await generate(named('localhost'), { ...ec, ca });
    tls = { ca: join(folder, 'ca'), cert: join(folder, 'cert'), key: join(folder, 'key') };
    const pems = { ca: ca.cert, cert: pair.cert, key: pair.private };
    for (const [name, pem] of Object.entries(pems)) await writeFile(join(folder, name), pem);
    server = await startServer(pems);
  });
  afterAll(async () => {
    await server.drain(0);
    await rm(folder, { recursive: true, force: true });
  });

  const startServer = (pems: Record<'ca' | 'cert' | 'key', string>): Promise<RpcServer> =>
    startRpcServer({
      listen: '127.0.0.1:0',
      pipeline,
      credentials: serverCredentials({
        ca: Buffer.from(pems.ca),
        cert: Buffer.from(pems.cert),
        key: Buffer.from(pems.key),
        clients: 'require',
      }),
      services: [
        implementService(
          'daycare.identity.v1.IdentityService',
          { revokeToken: IdentityServiceService.revokeToken },
          { roles: { revokeToken: ['anyone'] }, scopes: { revokeToken: 'any' } },
          { revokeToken: async () => ({}) },
        ),
      ],
    });

  const check = async (files: TlsFiles | undefined): Promise<unknown> => {
    const daycare = connectServices({
      addressOf: () => server.address.replace('127.0.0.1', 'localhost'),
      authority: () => fixedAuthority(),
      context: 'work',
      tls: files,
      timeoutMs: 2_000,
    });
    try {
      return await daycare.rpc.identity.revokeToken({ token: 'a' });
    } finally {
      daycare.close();
    }
  };

  it('presents the client certificate and trusts the given authority', async () => {
    await expect(check(tls)).resolves.toEqual({});
  });

  it.each([
    ['without encryption', () => undefined],
    ['without a client certificate', ({ ca }: TlsFiles) => ({ ca: ca ?? '' })],
    ['with only the system’s certificate authorities', () => ({})],
  ] as const)('fails to connect %s', async (_, choose) => {
    await expect(check(choose(tls))).rejects.toMatchObject({
      service: 'identity',
      context: 'work',
      reason: expect.stringMatching(/UNAVAILABLE|DEADLINE_EXCEEDED/),
    });
  });

  it('names a TLS file that cannot be read', async () => {
    await expect(check({ ca: join(folder, 'none') })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(join(folder, 'none')),
    });
  });
});
