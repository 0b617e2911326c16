/** One sign-in: a chain of refresh tokens, each of which is exchanged for the next. */
export interface Session {
  readonly id: string;
  readonly holder: SessionHolder;
  readonly opener: SessionOpener;
  readonly currentHash: string;
  /**
   * Hashes of older tokens that are still accepted. The first belongs to the token exchanged at `rotatedAt`, which is
   * accepted for `recentTokenGraceMs`. If its holder retried the exchange, the others belong to the tokens that earlier
   * attempts issued, at most the latest four of these. Because responses may be lost or arrive out of order, they are
   * accepted until the holder uses one of them or the current one.
   */
  readonly recentHashes: readonly string[];
  /** Proves that a token was issued for this session. */
  readonly proofKey: string;
  readonly openedAt: Date;
  /** When a token was last exchanged, not counting retries of that exchange; `openedAt` before the first exchange. */
  readonly rotatedAt: Date;
  /** When the session ends unless it is refreshed. */
  readonly expiresAt: Date;
  /** When the session ends even if it is refreshed. */
  readonly endsAt: Date;
}

/** What a session was opened with. The session ends when this secret or provider is no longer configured. */
export interface SessionOpener {
  /** `admin`, the name of a client, or `oidc:<name>` for an OpenID Connect provider. */
  readonly name: string;
  /** The id of the secret that was used, or of the provider. */
  readonly credentialId: string;
}

export interface SessionLifetimes {
  /** How long a session lasts without being refreshed. */
  readonly refreshMs: number;
  /** How long it lasts in total, for users and agents. */
  readonly userMs: number;
  /** How long it lasts in total, for operators. */
  readonly adminMs: number;
}

/** Returns the latest possible end of a session that is opened now; refreshing does not extend it further. */
export function endOf(holder: SessionHolder, lifetimes: SessionLifetimes, now: Date): Date {
  const totalMs = holder.kind === 'admin' ? lifetimes.adminMs : lifetimes.userMs;
  return new Date(now.getTime() + totalMs);
}

/** Returns the end of a session that is refreshed now and never again. */
export function expiryOf(endsAt: Date, { refreshMs }: SessionLifetimes, now: Date): Date {
  return new Date(Math.min(now.getTime() + refreshMs, endsAt.getTime()));
}

/**
 * An owner and its subusers together have at most this many sessions; a further one ends the least recently used one.
 */
export const maxSessionsPerOwner = 1_000;

/** Who the session's tokens belong to. */
export type SessionHolder =
  | { readonly kind: 'admin' }
  | {
      readonly kind: 'user';
      readonly userId: string;
      readonly agentId: string | undefined;
      /** The user itself, or the owner of the subuser. */
      readonly ownerId: string;
    };

/** How long an exchanged token is still accepted, since the response with its successor may have been lost. */
export const recentTokenGraceMs = 30_000;

const maxRecentHashes = 5;

/** A refresh token as presented by a caller. */
export interface PresentedToken {
  readonly hash: string;
  /** Whether it was ever issued for the session; anyone can invent one that was not. */
  readonly isGenuine: boolean;
}

/** What to do with a presented refresh token. */
export type RefreshDecision = 'rotate' | 'end-session' | 'refuse';

/**
 * Decides what to do with a presented token. The newest token and the recent ones (see `recentHashes`) are exchanged.
 * If an older one is presented, it has probably been copied, so the session ends for everyone who has one of its
 * tokens. A token that was never issued is refused and changes nothing. An expired session refuses every token.
 */
export function decideRefresh(
  session: Session,
  { hash, isGenuine }: PresentedToken,
  now: Date,
): RefreshDecision {
  if (session.expiresAt <= now) return 'refuse';
  const [exchanged, ...siblings] = session.recentHashes;
  // Several tokens may have been issued in exchange for the same one. Which of them the holder received is
  // unknown until one is used.
  if (hash === session.currentHash || siblings.includes(hash)) return 'rotate';
  const sinceRotationMs = now.getTime() - session.rotatedAt.getTime();
  if (hash === exchanged && sinceRotationMs < recentTokenGraceMs) return 'rotate';
  return isGenuine ? 'end-session' : 'refuse';
}

/** The fields of a session that an exchange changes, apart from `expiresAt`. */
export type Rotation = Pick<Session, 'currentHash' | 'recentHashes' | 'rotatedAt'>;

/**
 * Returns what changes in a session when a token is exchanged for the next. After a retry with an exchanged token,
 * that token is still accepted, as the response may be lost again, but for no longer than before.
 */
export function rotated(session: Session, presented: string, next: string, now: Date): Rotation {
  const { currentHash, recentHashes, rotatedAt } = session;
  const [first, ...others] = recentHashes;
  if (presented !== first) return { currentHash: next, recentHashes: [presented], rotatedAt: now };
  const recent = [first, ...[...others, currentHash].slice(1 - maxRecentHashes)];
  return { currentHash: next, recentHashes: recent, rotatedAt };
}
