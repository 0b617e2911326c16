import {
  basicAuthorization,
  KeyRing,
  makeAuthenticator,
  ServiceCredential,
  TokenVerifier,
} from '@daycare/auth';
import { IdentityServiceService } from '@daycare/contracts/identity';
import {
  channelCredentials,
  createRpcClient,
  type Authenticate,
  type RpcClient,
} from '@daycare/rpc';
import { fetchKeys } from './fetch-keys';
import { IdentityDirectory } from './identity-directory';
import { reportClockSkew, watchKeyAge } from './watch-keys';
import type { ServiceKit } from '../process/run-service';
import type { PeerConfig, ServiceConfig } from '../config/service-config';

/** How a service identifies its callers and authenticates to its peers. */
export interface PeerAccess {
  /** Accepts only tokens that identity has signed and not revoked. */
  readonly authenticate: Authenticate;
  /** Authenticates this service, and the users it acts for, to its peers. */
  readonly credential: ServiceCredential;
  readonly identity: RpcClient<typeof IdentityServiceService>;
  /** Cached users: their nametags, ids and owners. */
  readonly directory: IdentityDirectory;
}

/**
 * Connects a service to identity: keys and revocations are fetched, and the service's own token is renewed, in the
 * background. The service starts and runs even while identity is down, but until it has all keys and revocations for
 * the first time, it is not ready and accepts no tokens.
 */
export async function connectPeers(
  service: string,
  config: PeerConfig & Pick<ServiceConfig, 'tls'>,
  kit: Pick<ServiceKit, 'log' | 'metrics' | 'readiness' | 'stop'>,
): Promise<PeerAccess> {
  const { log, stop } = kit;
  const credentials = channelCredentials(config.tls);
  const identity = createRpcClient(IdentityServiceService, {
    address: config.identityAddress,
    credentials,
    onUnauthenticated: () => void credential.onRefused(),
  });
  const authorization = basicAuthorization(service, config.serviceSecret);
  const report = (what: string) => (err: unknown) => log.warn({ err }, what);
  const keys = new KeyRing({
    onFailure: report('cannot fetch signing keys; using the last known ones'),
    onUpdate: (update, silenceMs) => directory.onRevocations(update, silenceMs),
    fetch: async (position) =>
      fetchKeys(position, async (knownPosition) => {
        const metadataFor = credential.metadata('identity');
        const getPage = () => identity.getJwks({ knownPosition }, { metadataFor });
        let page = await getPage();
        // Identity sends no revocations to a service whose token it rejects, e.g. after an operator has replaced all
        // signing keys, and without them this service does not use the new keys. So it requests a new token and fetches
        // again immediately instead of waiting for the next poll.
        if (page.position === '') {
          await credential.onRefused();
          page = await getPage();
        }
        // Keys without the revocations would make every revoked token valid again.
        if (page.position === '') throw new Error("identity rejected this service's token");
        return page;
      }),
  });
  const credential = await ServiceCredential.create({
    service,
    onFailure: report('cannot renew the service token; retrying'),
    requestToken: (publicKey) => requestToken(identity, authorization, publicKey),
  });
  const directory = new IdentityDirectory({ identity, credential, revocations: keys });
  await credential.start();
  kit.readiness.waitFor('signing keys from identity', keys.whenFresh);
  await keys.start();
  watchKeyAge(keys, kit);
  stop.add('close', 'peers', async () => {
    keys.stop();
    credential.stop();
    identity.close();
  });
  const verifier = new TokenVerifier(keys, service, { onClockSkew: reportClockSkew(log) });
  const authenticate = makeAuthenticator({ verifier });
  return { authenticate, credential, identity, directory };
}

async function requestToken(identity: PeerAccess['identity'], authorization: string, key: object) {
  const request = { userId: '', agentId: '', publicKeyJwk: JSON.stringify(key) };
  const { tokens } = await identity.issueToken(request, { metadata: { authorization } });
  if (!tokens?.accessExpiresAt) throw new Error('identity returned no token');
  return { token: tokens.accessToken, expiresAt: tokens.accessExpiresAt };
}
