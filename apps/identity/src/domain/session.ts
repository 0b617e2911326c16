/** One sign-in: a chain of refresh tokens of which only the newest is valid. */
export interface Session {
  readonly id: string;
  readonly holder: SessionHolder;
  readonly currentHash: string;
  /**
   * Exchanged tokens that are accepted for a short time after `rotatedAt`: the one that was exchanged then,
   * first, and those that were issued for it since, but perhaps never received.
   */
  readonly recentHashes: readonly string[];
  /** Proves that a token was issued for this session; undefined for sessions of earlier versions. */
  readonly proofKey: string | undefined;
  /** When the newest token was exchanged for the first time. */
  readonly rotatedAt: Date;
  readonly expiresAt: Date;
}

/** Who the session's tokens belong to. */
export type SessionHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'user'; readonly userId: string; readonly agentId: string | undefined };

/** How long exchanged tokens are still accepted: the response with the newest one may have been lost. */
export const recentTokenGraceMs = 30_000;

const maxRecentHashes = 5;

/** A refresh token as it was presented. */
export interface PresentedToken {
  readonly hash: string;
  /** Whether it was issued for the session at any time. Anyone can make up one that was not. */
  readonly isGenuine: boolean;
}

/** What to do with a presented refresh token. */
export type RefreshDecision = 'rotate' | 'end-session' | 'refuse';

/**
 * The newest token is exchanged, and for a short time those before it. An older one means that it was copied,
 * so the session ends for both holders. A token that was never issued changes nothing.
 */
export function decideRefresh(
  session: Session,
  { hash, isGenuine }: PresentedToken,
  now: Date,
): RefreshDecision {
  if (session.expiresAt <= now) return 'refuse';
  if (hash === session.currentHash) return 'rotate';
  const sinceRotationMs = now.getTime() - session.rotatedAt.getTime();
  const isRecent = session.recentHashes.includes(hash) && sinceRotationMs < recentTokenGraceMs;
  if (isRecent) return 'rotate';
  return isGenuine ? 'end-session' : 'refuse';
}

/** The parts of a session that change with an exchange. */
export type Rotation = Pick<Session, 'currentHash' | 'recentHashes' | 'rotatedAt'>;

/**
 * The session once a token was exchanged for the next. A retry with an exchanged token keeps it acceptable, as
 * its response may get lost again, but not for longer.
 */
export function rotated(session: Session, presented: string, next: string, now: Date): Rotation {
  const { currentHash, recentHashes, rotatedAt } = session;
  if (presented === currentHash) {
    return { currentHash: next, recentHashes: [currentHash], rotatedAt: now };
  }
  const [first = presented, ...others] = recentHashes;
  const recent = [first, ...[...others, currentHash].slice(1 - maxRecentHashes)];
  return { currentHash: next, recentHashes: recent, rotatedAt };
}
