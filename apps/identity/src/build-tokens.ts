import { BasicCredentials, KeyRing, TokenVerifier, type Credential } from '@daycare/auth';
import type { DatabaseClock } from '@daycare/mongo';
import { reportClockSkew, watchKeyAge, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import type { Credentials } from './domain/credentials';
import type { Revocation } from './domain/revocation';
import { oidcOpener } from './domain/sign-in/oidc-provider';
import type { ConnectorKeyStore } from './store/connector-key-store';
import type { RevocationStore } from './store/revocation-store';
import type { SessionStore } from './store/session-store';
import type { PersonalTokenStore } from './store/sign-in/personal-token-store';
import type { SignInCodeStore } from './store/sign-in/sign-in-code-store';
import type { SigningKeyStore } from './store/signing-key-store';
import type { UserStore } from './store/user-store';
import { makeGetJwks } from './usecases/tokens/get-jwks';
import { makeIssueToken } from './usecases/tokens/issue-token';
import { makeManageSessions } from './usecases/tokens/manage-sessions';
import { makeRefreshToken } from './usecases/tokens/refresh-token';
import { hashOf } from './usecases/tokens/refresh-secret';
import { RevocationFeed } from './usecases/tokens/revocation-feed';
import { makeRevokeToken } from './usecases/tokens/revoke-token';
import { SigningKeys } from './usecases/tokens/signing-keys';
import { TokenMint } from './usecases/tokens/token-mint';

export interface TokenStores {
  readonly users: UserStore;
  readonly connectorKeys: ConnectorKeyStore;
  readonly revocations: RevocationStore;
  readonly sessions: SessionStore;
  readonly personalTokens: PersonalTokenStore;
  readonly signInCodes: SignInCodeStore;
  readonly signingKeys: SigningKeyStore;
  readonly clock: DatabaseClock;
}

const now = (): Date => new Date();

/** Constructs the usecases for tokens, sessions and keys. */
export async function buildTokens(config: Config, stores: TokenStores, kit: ServiceKit) {
  const { users, sessions, personalTokens, revocations, connectorKeys, signInCodes } = stores;
  const keys = await startKeys(config, stores, kit);
  const credentials = await BasicCredentials.create(credentialsOf(config.credentials));
  const feed = new RevocationFeed({ revocations, now });
  const openers = config.oidcProviders.map((provider) => oidcOpener(provider, hashOf));
  const credentialIds = [...credentials.ids, ...openers.map(({ credentialId }) => credentialId)];
  const verifierData = makeGetJwks({ keys, feed, credentialIds });
  const verifier = await startVerifier(feed, verifierData, kit);
  const mint = new TokenMint({ keys, sessions, lifetimes: lifetimesOf(config), now });
  const longestTokenLifetimeMs = (): Promise<number> => keys.longestTokenLifetimeMs();
  const credentialsInUse = new Set(credentialIds);
  const isInUse = (credentialId: string): boolean => credentialsInUse.has(credentialId);
  const credentialIdsOf = (name: string): readonly string[] => [
    ...credentials.idsOf(name),
    ...openers.filter((opener) => opener.name === name).map(({ credentialId }) => credentialId),
  ];
  const usecases = {
    ...verifierData,
    ...makeManageSessions({
      users,
      sessions,
      personalTokens,
      codes: signInCodes,
      revocations,
      credentialIdsOf,
      longestTokenLifetimeMs,
      now,
    }),
    issueToken: makeIssueToken({
      users,
      connectorKeys,
      sessions,
      revocations,
      mint,
      longestTokenLifetimeMs,
      now,
    }),
    refreshToken: makeRefreshToken({
      users,
      sessions,
      revocations,
      mint,
      isInUse,
      longestTokenLifetimeMs,
      now,
    }),
    revokeToken: makeRevokeToken({
      sessions,
      personalTokens,
      revocations,
      verifier,
      longestTokenLifetimeMs,
      now,
    }),
    rotateSigningKey: (requestId: string, removeOthers: boolean) =>
      keys.rotate(requestId, removeOthers),
  };
  return { credentials, verifier, mint, isInUse, longestTokenLifetimeMs, usecases };
}

function lifetimesOf({ accessTokenMs, refreshTokenMs, sessionMs, adminSessionMs }: Config) {
  return {
    accessMs: accessTokenMs,
    refreshMs: refreshTokenMs,
    userMs: sessionMs,
    adminMs: adminSessionMs,
  };
}

async function startKeys(
  config: Config,
  { signingKeys, clock }: TokenStores,
  { log, stop }: ServiceKit,
): Promise<SigningKeys> {
  const keys = new SigningKeys({
    keys: signingKeys,
    now: () => clock.now(),
    syncClock: () => clock.sync(),
    onFailure: (err) => log.warn({ err }, 'signing key maintenance failed; retrying'),
    policy: {
      rotateEveryMs: config.rotateKeysMs,
      announceMs: config.announceKeysMs,
      tokenLifetimeMs: config.accessTokenMs,
    },
  });
  await keys.start();
  stop.add('quiesce', 'keys', async () => keys.stop());
  return keys;
}

/** Starts verifying the tokens of identity's own callers against the keys and revocations that identity publishes. */
async function startVerifier(
  feed: RevocationFeed,
  verifierData: ReturnType<typeof makeGetJwks>,
  kit: ServiceKit,
): Promise<TokenVerifier> {
  const { log, stop } = kit;
  const ring = new KeyRing({
    onFailure: (err) => log.warn({ err }, 'reading revocations failed; using the last known ones'),
    fetch: async (known) => {
      const credentialIds = verifierData.credentialIds();
      const [keys, revoked] = await Promise.all([verifierData.publicKeys(), readAll(feed, known)]);
      return { ...keys, credentialIds, ...revoked };
    },
  });
  await ring.start();
  watchKeyAge(ring, kit);
  stop.add('quiesce', 'key ring', async () => ring.stop());
  return new TokenVerifier(ring, 'identity', { onClockSkew: reportClockSkew(log) });
}

async function readAll(feed: RevocationFeed, known: string) {
  let page = await feed.page(known);
  const { isRestarted } = page;
  const revoked = page.revoked.map(toRevocation);
  while (page.hasMore) {
    page = await feed.page(page.position);
    revoked.push(...page.revoked.map(toRevocation));
  }
  return { revoked, isRestarted, position: page.position };
}

function toRevocation({ id, expiresAt, issuedBefore }: Revocation) {
  const issuedBeforeMs = issuedBefore?.getTime();
  return { id, expiresAtMs: expiresAt.getTime(), issuedBeforeMs };
}

function credentialsOf({ admin, services, clients }: Credentials): Credential[] {
  const listOf = (kind: 'service' | 'client', secretsByName: Credentials['services']) =>
    Object.entries(secretsByName).map(([name, secrets]): Credential => ({
      name,
      secrets,
      holder: { kind, name },
    }));
  return [
    { name: 'admin', secrets: admin, holder: { kind: 'admin' } },
    ...listOf('service', services),
    ...listOf('client', clients),
  ];
}
