import { recentTokenGraceMs, type Session } from '../../domain/session';
import type { RevocationStore } from '../../store/revocation-store';
import type { SessionStore } from '../../store/session-store';

export interface EndSessionsDeps {
  readonly sessions: SessionStore;
  readonly revocations: RevocationStore;
  readonly now: () => Date;
  /** The longest lifetime of any token that may still be valid, whichever replica issued it. */
  readonly longestTokenLifetimeMs: () => Promise<number>;
}

/** The parts of a session that matter when it ends. */
export type EndedSession = Pick<Session, 'id' | 'holder' | 'rotatedAt'>;

/**
 * If a session was last refreshed longer ago than the token lifetime plus this margin, all its access tokens have
 * expired. The margin is needed because retries of a refresh issue tokens for `recentTokenGraceMs` after `rotatedAt`,
 * and because clocks differ.
 */
const unusedMarginMs = recentTokenGraceMs + 30_000;

/**
 * Ends sessions with their refresh tokens, and revokes their access tokens. A session whose access
 * tokens have all expired needs no revocation, which would only count towards its owner's limit.
 */
export async function endSessions(
  deps: EndSessionsDeps,
  sessionsToEnd: readonly EndedSession[],
): Promise<void> {
  if (sessionsToEnd.length === 0) return;
  const { sessions, revocations, now } = deps;
  const lifetimeMs = await deps.longestTokenLifetimeMs();
  const since = new Date(now().getTime() - lifetimeMs - unusedMarginMs);
  const unused = sessionsToEnd.filter(({ rotatedAt }) => rotatedAt < since);
  const refreshedIds = await sessions.removeUnused(
    unused.map(({ id }) => id),
    since,
  );
  const used = sessionsToEnd.filter(
    ({ id, rotatedAt }) => rotatedAt >= since || refreshedIds.includes(id),
  );
  const expiresAt = new Date(now().getTime() + lifetimeMs);
  await revocations.add(
    used.map(({ id, holder }) => ({
      id,
      expiresAt,
      ...(holder.kind === 'user' && { ownerId: holder.ownerId }),
    })),
  );
  await sessions.remove(used.map(({ id }) => id));
}

/** Returns the time by which every token issued so far will have expired. */
export async function lastExpiry({
  now,
  longestTokenLifetimeMs,
}: Pick<EndSessionsDeps, 'now' | 'longestTokenLifetimeMs'>): Promise<Date> {
  const lifetimeMs = await longestTokenLifetimeMs();
  return new Date(now().getTime() + lifetimeMs);
}
