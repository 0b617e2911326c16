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
import type { ServiceKit } from '../process/run-service';
import type { PeerConfig, ServiceConfig } from '../config/service-config';

/** How a service identifies its callers and authenticates to its peers. */
export interface PeerAccess {
  /** Accepts only tokens that identity has signed and not revoked. */
  readonly authenticate: Authenticate;
  /** Authenticates this service, and the users it acts for, to its peers. */
  readonly credential: ServiceCredential;
  readonly identity: RpcClient<typeof IdentityServiceService>;
  /** Cached nametags, ids and owners of users. */
  readonly directory: IdentityDirectory;
}

/**
 * Connects a service to identity: keys and revocations are fetched, and the service's own token renewed, in
 * the background. It starts and runs while identity is down, but accepts no caller before the first
 * answer.
 */
export async function connectPeers(
  service: string,
  config: PeerConfig & Pick<ServiceConfig, 'tls'>,
  { log, stop }: Pick<ServiceKit, 'log' | 'stop'>,
): Promise<PeerAccess> {
  const credentials = channelCredentials(config.tls);
  const address = config.identityAddress;
  // All revocations come in one message, which may be large.
  const maxMessageBytes = 64 << 20;
  const options = { address, credentials, maxMessageBytes };
  const identity = createRpcClient(IdentityServiceService, options);
  const authorization = basicAuthorization(service, config.serviceSecret);
  const report = (what: string) => (err: unknown) => log.warn({ err }, what);
  const keys = new KeyRing({
    onFailure: report('cannot fetch signing keys; using the last known ones'),
    onSnapshot: ({ revoked }) => directory.forgetRevoked(revoked),
    fetch: async () => readKeys(await identity.getJwks({}, { metadata: { authorization } })),
  });
  const credential = await ServiceCredential.create({
    service,
    onFailure: report('cannot renew the service token; retrying'),
    requestToken: (publicKey) => requestToken(identity, authorization, publicKey),
  });
  const directory = new IdentityDirectory({ identity, credential, revocations: keys });
  await Promise.all([keys.start(), credential.start()]);
  stop.add('close', 'peers', async () => {
    keys.stop();
    credential.stop();
    identity.close();
  });
  const authenticate = makeAuthenticator({ verifier: new TokenVerifier(keys, service) });
  return { authenticate, credential, identity, directory };
}

/** Keys without the revocations would make every revoked token valid again. */
function readKeys(answer: GetJwksResponse) {
  if (!answer.revokedComplete) throw new Error('identity rejected the credential of this service');
  return {
    jwks: JSON.parse(answer.jwksJson) as JSONWebKeySet,
    revoked: new Set(answer.revoked.map(({ tokenId }) => tokenId)),
  };
}

async function requestToken(identity: PeerAccess['identity'], authorization: string, key: object) {
  const request = { userId: '', agentId: '', publicKeyJwk: JSON.stringify(key) };
  const { tokens } = await identity.issueToken(request, { metadata: { authorization } });
  if (!tokens?.accessExpiresAt) throw new Error('identity returned no token');
  return { token: tokens.accessToken, expiresAt: tokens.accessExpiresAt };
}
