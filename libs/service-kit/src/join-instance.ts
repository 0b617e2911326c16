import {
  basicAuthorization,
  KeyRing,
  makeAuthenticator,
  ServiceCredential,
  TokenVerifier,
} from '@daycare/auth';
import { IdentityServiceService, type GetJwksResponse } from '@daycare/contracts/identity';
import {
  channelCredentials,
  createRpcClient,
  type Authenticate,
  type RpcClient,
} from '@daycare/rpc';
import type { JSONWebKeySet } from 'jose';
import { IdentityDirectory } from './identity-directory';
import type { ServiceKit } from './run-service';
import type { MembershipConfig, ServiceConfig } from './service-config';

/** What a service has once it belongs to the instance. */
export interface Membership {
  /** Believes tokens that identity signed and has not revoked, and nothing else. */
  readonly authenticate: Authenticate;
  /** Proves this service, and the users it acts for, to its peers. */
  readonly credential: ServiceCredential;
  readonly identity: RpcClient<typeof IdentityServiceService>;
  /** Nametags, ids and owners, remembered. */
  readonly directory: IdentityDirectory;
}

/**
 * Makes a service part of the instance: it fetches identity's keys and revocations in the background
 * and keeps a token of its own fresh. It starts and goes on while identity is away; until the first
 * answer it believes nobody.
 */
export async function joinInstance(
  service: string,
  config: MembershipConfig & Pick<ServiceConfig, 'tls'>,
  { log, stop }: Pick<ServiceKit, 'log' | 'stop'>,
): Promise<Membership> {
  const credentials = channelCredentials(config.tls);
  const address = config.identityAddress;
  // The list of what was revoked comes in one message and may be long.
  const maxMessageBytes = 64 << 20;
  const options = { address, credentials, maxMessageBytes };
  const identity = createRpcClient(IdentityServiceService, options);
  const authorization = basicAuthorization(service, config.serviceSecret);
  const report = (what: string) => (err: unknown) => log.warn({ err }, what);
  const keys = new KeyRing({
    onFailure: report('cannot fetch keys; going on with those known'),
    onSnapshot: ({ revoked }) => directory.forgetRevoked(revoked),
    fetch: async () => readKeys(await identity.getJwks({}, { metadata: { authorization } })),
  });
  const credential = await ServiceCredential.create({
    service,
    onFailure: report('cannot renew the token of this service; trying on'),
    requestToken: (publicKey) => requestToken(identity, authorization, publicKey),
  });
  const directory = new IdentityDirectory({ identity, credential, gone: keys });
  await Promise.all([keys.start(), credential.start()]);
  stop.add('close', 'membership', async () => {
    keys.stop();
    credential.stop();
    identity.close();
  });
  const authenticate = makeAuthenticator({ verifier: new TokenVerifier(keys, service) });
  return { authenticate, credential, identity, directory };
}

/** Keys without the list of what was revoked would believe every revoked token again. */
function readKeys(answer: GetJwksResponse) {
  if (!answer.revokedComplete)
    throw new Error('identity does not accept the credential of this service');
  return {
    jwks: JSON.parse(answer.jwksJson) as JSONWebKeySet,
    revoked: new Set(answer.revoked.map(({ tokenId }) => tokenId)),
  };
}

async function requestToken(identity: Membership['identity'], authorization: string, key: object) {
  const request = { userId: '', agentId: '', publicKeyJwk: JSON.stringify(key) };
  const { tokens } = await identity.issueToken(request, { metadata: { authorization } });
  if (!tokens?.accessExpiresAt) throw new Error('identity answered without a token');
  return { token: tokens.accessToken, expiresAt: tokens.accessExpiresAt };
}
