/** One sign-in: a chain of refresh tokens of which only the newest holds. */
export interface Session {
  readonly id: string;
  readonly holder: SessionHolder;
  readonly currentHash: string;
  readonly previousHash: string | undefined;
  readonly rotatedAt: Date;
  readonly expiresAt: Date;
}

/** For whom the session's tokens are. */
export type SessionHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'user'; readonly userId: string; readonly agentId: string | undefined };

/** How long the token before the newest is still exchanged: its answer may have been lost on the way. */
export const lostAnswerMs = 30_000;

/** What presenting a refresh token leads to. */
export type RefreshDecision = 'rotate' | 'end-session' | 'refuse';

/**
 * The newest token is exchanged. The one before it too, for a moment. An older one in use means that
 * somebody else has a copy: the session ends for both.
 */
export function decideRefresh(session: Session, presentedHash: string, now: Date): RefreshDecision {
  if (session.expiresAt <= now) return 'refuse';
  if (presentedHash === session.currentHash) return 'rotate';
  const sinceRotationMs = now.getTime() - session.rotatedAt.getTime();
  const mayBeLost = presentedHash === session.previousHash && sinceRotationMs < lostAnswerMs;
  return mayBeLost ? 'rotate' : 'end-session';
}
