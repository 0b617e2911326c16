import { AppError } from '@daycare/api';
import { maxRevocationsPerOwner } from '../../domain/revocation';
import { maxSessionsPerOwner, type SessionHolder, type SessionOpener } from '../../domain/session';
import type { User } from '../../domain/user';
import { endSessions, type EndSessionsDeps } from './end-sessions';
import type { IssuedTokens, TokenMint } from './token-mint';

export interface OpenSessionDeps extends EndSessionsDeps {
  readonly mint: TokenMint;
}

export type UserHolder = Extract<SessionHolder, { kind: 'user' }>;

/** Returns a user, or one of its agents, as the holder of a session. */
export function holderOf({ id, parentUserId }: User, agentId?: string): UserHolder {
  return { kind: 'user', userId: id, agentId, ownerId: parentUserId ?? id };
}

/** Opens a session for a user. If the owner then has too many sessions, the least recently used ones are ended. */
export async function openUserSession(
  deps: OpenSessionDeps,
  holder: UserHolder,
  opener: SessionOpener,
): Promise<IssuedTokens> {
  await assertMayOpen(deps, holder.ownerId);
  const issued = await deps.mint.openSession(holder, opener);
  const excess = await deps.sessions.listExcess(holder.ownerId, maxSessionsPerOwner);
  await endSessions(
    deps,
    excess.map((session) => ({ ...session, holder })),
  );
  return issued;
}

/**
 * Throws if the owner has too many revocations. Ending a session whose access tokens are still valid adds an entry to
 * the list of revocations, which every service keeps until the tokens expire, so the number of entries is limited.
 */
export async function assertMayOpen(
  { revocations, now }: Pick<EndSessionsDeps, 'revocations' | 'now'>,
  ownerId: string,
): Promise<void> {
  const count = await revocations.countByOwner(ownerId, now(), maxRevocationsPerOwner);
  if (count < maxRevocationsPerOwner) return;
  const description = `${maxRevocationsPerOwner} ended sessions and revoked tokens at a time`;
  const message =
    "Too many of this user's sessions were ended recently; try again in a few minutes";
  throw new AppError('QUOTA_EXCEEDED', message, { quota: { subject: 'user', description } });
}
