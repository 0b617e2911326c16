import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { subuserLimits } from '../domain/subuser-limits';
import { revocationIndexes, RevocationStore } from '../store/revocation-store';
import { sessionIndexes, SessionStore } from '../store/session-store';
import { signingKeyIndexes, SigningKeyStore } from '../store/signing-key-store';
import { userIndexes } from '../store/user-document';
import { UserStore } from '../store/user-store';
import { makeRefreshToken } from '../usecases/tokens/refresh-token';
import { SigningKeys } from '../usecases/tokens/signing-keys';
import { TokenMint, type IssuedTokens } from '../usecases/tokens/token-mint';

const minuteMs = 60_000;

/** The sessions of identity on a database of their own, with a clock that only the test advances. */
export async function openTestSessions() {
  const mongo: MongoConnection = await testDatabase('identity');
  await ensureIndexes(mongo.db, [
    userIndexes,
    sessionIndexes,
    revocationIndexes,
    signingKeyIndexes,
  ]);
  const clock = { at: new Date('2026-11-16T10:00:00Z') };
  const now = (): Date => clock.at;
  const stores = {
    users: new UserStore(mongo.db, subuserLimits(100)),
    sessions: new SessionStore(mongo.db),
    revocations: new RevocationStore(mongo.db),
  };
  const accessLifetimeMs = 15 * minuteMs;
  const policy = {
    rotateEveryMs: 30 * 24 * 60 * minuteMs,
    announceMs: 30_000,
    tokenLifetimeMs: accessLifetimeMs,
  };
  const stored = new SigningKeyStore(mongo.db);
  const keys = new SigningKeys({ keys: stored, now, policy, onFailure: () => undefined });
  await keys.poll();
  const lifetimes = { accessMs: accessLifetimeMs, refreshMs: 30 * 24 * 60 * minuteMs };
  const mint = new TokenMint({ keys, sessions: stores.sessions, lifetimes, now });
  const refresh = makeRefreshToken({ ...stores, mint, now, accessLifetimeMs });
  return {
    ...stores,
    mint,
    refresh,
    refreshTokenOf: ({ refresh: issued }: IssuedTokens): string => issued?.token ?? '',
    advance: (ms: number) => void (clock.at = new Date(clock.at.getTime() + ms)),
    close: () => mongo.close(),
  };
}
