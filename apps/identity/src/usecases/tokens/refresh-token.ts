import { AppError, FieldChecks } from '@daycare/api';
import { decideRefresh, expiryOf, rotated, type Session } from '../../domain/session';
import type { UserStore } from '../../store/user-store';
import { endSessions, type EndSessionsDeps } from './end-sessions';
import { hashOf, newSecret, toPresentedToken, readRefreshToken } from './refresh-secret';
import type { IssuedTokens, TokenMint } from './token-mint';

export interface RefreshTokenDeps extends EndSessionsDeps {
  readonly users: UserStore;
  readonly mint: TokenMint;
  /** Whether a secret or provider is still configured. */
  readonly isInUse: (credentialId: string) => boolean;
}

const maxTries = 5;

/**
 * Exchanges a refresh token for the next pair. If the exchanged token is presented again after its grace period, it has
 * probably been copied, so the session ends. Every refresh token is refused once the secret or provider with which its
 * session was opened is no longer configured.
 */
export function makeRefreshToken(deps: RefreshTokenDeps) {
  return async (text: string): Promise<IssuedTokens> => {
    new FieldChecks().require(text !== '', 'refresh_token', 'is required').done();
    const presented = readRefreshToken(text);
    if (!presented) throw refused();
    // Of two concurrent exchanges, the loser reads the session again, in which its token is now a recent one.
    for (let tryNumber = 0; tryNumber < maxTries; tryNumber += 1) {
      const session = await deps.sessions.find(presented.sessionId);
      if (!session || !deps.isInUse(session.opener.credentialId)) throw refused();
      const token = toPresentedToken(session, presented);
      const decision = decideRefresh(session, token, deps.now());
      if (decision === 'end-session') await endSessions(deps, [session]);
      if (decision !== 'rotate') throw refused();
      const issued = await rotate(deps, session, token.hash);
      if (issued) return issued;
    }
    throw new AppError(
      'CONFLICT',
      'The refresh token is being exchanged by another call; try again',
    );
  };
}

async function rotate(
  { users, sessions, mint, now }: RefreshTokenDeps,
  session: Session,
  presentedHash: string,
): Promise<IssuedTokens | undefined> {
  const { id, holder, proofKey, endsAt } = session;
  const user = holder.kind === 'user' ? await users.findById(holder.userId) : undefined;
  if (holder.kind === 'user' && !user) throw refused();
  const secret = newSecret(id, proofKey);
  const expiresAt = expiryOf(endsAt, mint.lifetimes, now());
  const rotation = rotated(session, presentedHash, hashOf(secret), now());
  const isRotated = await sessions.rotate(session, { ...rotation, expiresAt });
  return isRotated ? mint.issuePair({ ...session, expiresAt }, secret) : undefined;
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'The refresh token is not valid');
}
