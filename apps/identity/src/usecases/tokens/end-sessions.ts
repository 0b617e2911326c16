import type { Session } from '../../domain/session';
import type { RevocationStore } from '../../store/revocation-store';
import type { SessionStore } from '../../store/session-store';

export interface EndSessionsDeps {
  readonly sessions: SessionStore;
  readonly revocations: RevocationStore;
  readonly now: () => Date;
  /** The longest lifetime of any token that may still be valid, by whichever replica it was issued. */
  readonly longestTokenMs: () => Promise<number>;
}

/** Revokes the access tokens of sessions, then removes them together with their refresh tokens. */
export async function endSessions(
  deps: EndSessionsDeps,
  ended: readonly Pick<Session, 'id' | 'holder'>[],
): Promise<void> {
  if (ended.length === 0) return;
  const expiresAt = await lastExpiry(deps);
  await deps.revocations.add(
    ended.map(({ id, holder }) => ({
      id,
      expiresAt,
      ...(holder.kind === 'user' && { ownerId: holder.ownerId }),
    })),
  );
  await deps.sessions.remove(ended.map(({ id }) => id));
}

/** When every token that has been issued so far has expired. */
export async function lastExpiry({
  now,
  longestTokenMs,
}: Pick<EndSessionsDeps, 'now' | 'longestTokenMs'>): Promise<Date> {
  const lifetimeMs = await longestTokenMs();
  return new Date(now().getTime() + lifetimeMs);
}
