import { createId } from '@daycare/api/create-id';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { subuserLimits } from '../domain/subuser-limits';
import { ConnectorKeyStore } from '../store/connector-key-store';
import { reservationIndexes } from '../store/reservation-store';
import { revocationIndexes, RevocationStore } from '../store/revocation-store';
import { sessionIndexes, SessionStore } from '../store/session-store';
import { personalTokenIndexes, PersonalTokenStore } from '../store/sign-in/personal-token-store';
import { signInCodeIndexes, SignInCodeStore } from '../store/sign-in/sign-in-code-store';
import { signingKeyIndexes, SigningKeyStore } from '../store/signing-key-store';
import { userIndexes } from '../store/user-document';
import { UserStore } from '../store/user-store';
import { makeIssueToken } from '../usecases/tokens/issue-token';
import { makeManageSessions } from '../usecases/tokens/manage-sessions';
import { makeRefreshToken } from '../usecases/tokens/refresh-token';
import { RevocationFeed } from '../usecases/tokens/revocation-feed';
import { SigningKeys } from '../usecases/tokens/signing-keys';
import { TokenMint, type IssuedTokens } from '../usecases/tokens/token-mint';

const minuteMs = 60_000;

/** Opens identity's usecases for sessions on a separate database, with a clock that only the test advances. */
export async function openTestSessions() {
  const mongo: MongoConnection = await testDatabase('identity');
  await ensureIndexes(mongo.db, [
    userIndexes,
    ...reservationIndexes,
    sessionIndexes,
    ...revocationIndexes,
    personalTokenIndexes,
    signInCodeIndexes,
    signingKeyIndexes,
  ]);
  const clock = { at: new Date('2026-11-16T10:00:00Z') };
  const now = (): Date => clock.at;
  const revocations = new RevocationStore(mongo.db);
  const stores = {
    users: new UserStore(mongo.db, subuserLimits(100)),
    sessions: new SessionStore(mongo.db),
    personalTokens: new PersonalTokenStore(mongo.db, revocations),
    codes: new SignInCodeStore(mongo.db),
    revocations,
  };
  const accessLifetimeMs = 15 * minuteMs;
  const policy = {
    rotateEveryMs: 30 * 24 * 60 * minuteMs,
    announceMs: 30_000,
    tokenLifetimeMs: accessLifetimeMs,
  };
  const keyStore = new SigningKeyStore(mongo.db);
  const keys = new SigningKeys({ keys: keyStore, now, policy, onFailure: () => undefined });
  await keys.poll();
  const dayMs = 24 * 60 * minuteMs;
  const lifetimes = {
    accessMs: accessLifetimeMs,
    refreshMs: 30 * dayMs,
    userMs: 90 * dayMs,
    adminMs: dayMs / 2,
  };
  const mint = new TokenMint({ keys, sessions: stores.sessions, lifetimes, now });
  const longestTokenLifetimeMs = (): Promise<number> => keys.longestTokenLifetimeMs();
  const endSessionsDeps = { ...stores, now, longestTokenLifetimeMs };
  const credentialsInUse = new Set(['secret1', 'secret2']);
  const isInUse = (id: string): boolean => credentialsInUse.has(id);
  const credentialIdsOf = (): string[] => [...credentialsInUse];
  const connectorKeys = new ConnectorKeyStore(mongo.db);
  await stores.revocations.open();
  let userCount = 0;
  return {
    mongo,
    /** Stores a user, or a subuser, and returns its id. */
    newUser: async (parentUserId?: string): Promise<string> => {
      const id = createId();
      const user = {
        id,
        nametag: `tag${(userCount += 1)}`,
        name: 'Ada',
        parentUserId,
        description: '',
      };
      const request = { scope: 'test', id, fingerprint: '' };
      await stores.users.insert({ ...user, timeZone: '', createdAt: now() }, 'admin', request);
      return id;
    },
    keys,
    now,
    credentialsInUse,
    feed: new RevocationFeed({ revocations: stores.revocations, now, nowMs: () => +clock.at }),
    issue: makeIssueToken({ ...endSessionsDeps, connectorKeys, mint }),
    refresh: makeRefreshToken({ ...endSessionsDeps, mint, isInUse }),
    manage: makeManageSessions({ ...endSessionsDeps, credentialIdsOf }),
    longestTokenLifetimeMs,
    isInUse,
    ...stores,
    mint,
    refreshTokenOf: ({ refresh: issued }: IssuedTokens): string => issued?.token ?? '',
    advance: (ms: number) => void (clock.at = new Date(clock.at.getTime() + ms)),
    close: () => mongo.close(),
  };
}
