/** One sign-in: a chain of refresh tokens of which only the newest is valid. */
export interface Session {
  readonly id: string;
  readonly holder: SessionHolder;
  readonly currentHash: string;
  readonly previousHash: string | undefined;
  readonly rotatedAt: Date;
  readonly expiresAt: Date;
}

/** Who the session's tokens belong to. */
export type SessionHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'user'; readonly userId: string; readonly agentId: string | undefined };

/** How long the previous token is still accepted: the response with the newest one may have been lost. */
export const previousTokenGraceMs = 30_000;

/** What to do with a presented refresh token. */
export type RefreshDecision = 'rotate' | 'end-session' | 'refuse';

/**
 * The newest token is exchanged, and for a short time the previous one. An older token means that it was
 * copied, so the session ends for both holders.
 */
export function decideRefresh(session: Session, presentedHash: string, now: Date): RefreshDecision {
  if (session.expiresAt <= now) return 'refuse';
  if (presentedHash === session.currentHash) return 'rotate';
  const sinceRotationMs = now.getTime() - session.rotatedAt.getTime();
  const isWithinGrace =
    presentedHash === session.previousHash && sinceRotationMs < previousTokenGraceMs;
  return isWithinGrace ? 'rotate' : 'end-session';
}
