import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { AppError } from '@daycare/api';
import {
  GetJwksResponse,
  IdentityServiceService,
  IssueTokenResponse,
} from '@daycare/contracts/identity';
import type { AccessRules } from '@daycare/contracts/scopes';
import { implementService, startRpcServer } from '@daycare/rpc';
import { createLogger } from '../observability/create-logger';
import { createMetrics } from '../observability/metrics';
import { Readiness } from '../process/readiness';
import { StopSequence } from '../process/stop-sequence';
import { connectPeers } from './connect-peers';

const secret = 'a-service-secret-for-tests';
const log = createLogger('topology', 'silent');
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const nothing = (): void => undefined;
const forAll = (rule: unknown): object =>
  Object.fromEntries(Object.keys(IdentityServiceService).map((method) => [method, rule]));
const rules = { roles: forAll(['anyone']), scopes: forAll('any') };

/** Starts a fake identity that a test can take down; `seen` records how its callers authenticate. */
async function startIdentity() {
  const state = { isUp: true, rejectedToken: '', isCallerRejected: false, issued: 0 };
  const seen: [method: string, scheme: string][] = [];
  const whenUp = <T>(response: T): T => {
    if (!state.isUp) throw new AppError('UNAVAILABLE', 'down');
    return response;
  };
  const issue = () => {
    state.issued += 1;
    const accessExpiresAt = new Date(Date.now() + 600_000);
    return { tokens: { accessToken: `token${state.issued}`, accessExpiresAt } };
  };
  const server = await startRpcServer({
    listen: '127.0.0.1:0',
    pipeline: {
      authenticate({ metadata }, path) {
        const [authorization = ''] = metadata.get('authorization');
        const [scheme = '', token = ''] = String(authorization).split(' ');
        seen.push([path.split('/')[2] ?? '', scheme]);
        state.isCallerRejected = token === state.rejectedToken;
        return { kind: 'anonymous' };
      },
      limit: nothing,
      observe: nothing,
      log,
      defaultTimeoutMs: 5_000,
    },
    services: [
      implementService(
        'daycare.identity.v1.IdentityService',
        IdentityServiceService,
        rules as AccessRules<typeof IdentityServiceService>,
        {
          issueToken: async () => whenUp(IssueTokenResponse.fromPartial(issue())),
          getJwks: async () =>
            whenUp(
              GetJwksResponse.fromPartial({
                jwksJson: '{"keys":[]}',
                restarted: true,
                position: state.isCallerRejected ? '' : 'p',
              }),
            ),
        },
      ),
    ],
  });
  cleanups.push(() => server.drain(0));
  return { address: server.address, state, seen };
}

async function connectTo(identityAddress: string) {
  const stop = new StopSequence();
  const readiness = new Readiness();
  const kit = { log, metrics: createMetrics('topology'), readiness, stop };
  const config = { identityAddress, serviceSecret: secret, tls: undefined };
  const access = await connectPeers('topology', config, kit);
  cleanups.push(() => stop.run(log, 5_000));
  return { access, readiness };
}

const call = () => {
  const metadata = new Metadata();
  // Only the header of this token is real: because no key is known, nothing else in the token is read.
  metadata.set('authorization', 'Bearer eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.e30.AA');
  return { getPeer: () => '127.0.0.1:1', metadata };
};

describe('connectPeers', () => {
  it("sends the service's secret only to request a token", async () => {
    const { address, seen } = await startIdentity();
    await connectTo(address);
    expect(seen).toEqual([
      ['IssueToken', 'Basic'],
      ['GetJwks', 'Bearer'],
    ]);
  });

  it('leaves the service not ready, and refuses callers with UNAVAILABLE, until identity has sent its keys', async () => {
    const { address, state } = await startIdentity();
    state.isUp = false;
    const { access, readiness } = await connectTo(address);
    expect(readiness.pending).toEqual(['signing keys from identity']);
    const refusal = async (): Promise<unknown> =>
      Promise.resolve(access.authenticate(call(), '/any')).catch((error: unknown) => error);
    expect(await refusal()).toMatchObject({ code: 'UNAVAILABLE' });
    state.isUp = true;
    await readiness.whenReady();
    expect(readiness.pending).toEqual([]);
    expect(await refusal()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('requests a new token when identity rejects the current one, and then fetches the keys again immediately', async () => {
    const { address, state, seen } = await startIdentity();
    const clock = Date.now;
    let aheadMs = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => clock() + aheadMs);
    const { access } = await connectTo(address);
    // A token is requested at most once a second.
    aheadMs = 2_000;
    state.rejectedToken = 'token1';
    seen.length = 0;
    await expect(access.authenticate(call(), '/any')).rejects.toBeInstanceOf(AppError);
    expect(seen).toEqual([
      ['GetJwks', 'Bearer'],
      ['IssueToken', 'Basic'],
      ['GetJwks', 'Bearer'],
    ]);
  });
});
