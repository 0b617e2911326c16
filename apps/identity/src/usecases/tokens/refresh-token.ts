import { AppError, FieldChecks } from '@daycare/api';
import { decideRefresh, type Session } from '../../domain/session';
import type { UserStore } from '../../store/user-store';
import { endSession, type EndSessionDeps } from './end-session';
import { readRefreshToken, type IssuedTokens, type TokenMint } from './token-mint';

export interface RefreshTokenDeps extends EndSessionDeps {
  readonly users: UserStore;
  readonly mint: TokenMint;
}

const maxTries = 5;

/** Exchanges a refresh token for the next pair; a copy that is used later ends the session. */
export function makeRefreshToken(deps: RefreshTokenDeps) {
  return async (token: string): Promise<IssuedTokens> => {
    new FieldChecks().require(token !== '', 'refresh_token', 'is required').done();
    const presented = readRefreshToken(token);
    if (!presented) throw refused();
    // Of two concurrent exchanges, the loser reads again and finds that its token is now the previous one.
    for (let tryNumber = 0; tryNumber < maxTries; tryNumber += 1) {
      const session = await deps.sessions.find(presented.sessionId);
      if (!session) throw refused();
      const decision = decideRefresh(session, presented.hash, deps.now());
      if (decision === 'end-session') await endSession(deps, session.id);
      if (decision !== 'rotate') throw refused();
      const issued = await rotate(deps, session);
      if (issued) return issued;
    }
    throw new AppError(
      'CONFLICT',
      'The refresh token is being exchanged by another call; try again',
    );
  };
}

async function rotate(deps: RefreshTokenDeps, session: Session): Promise<IssuedTokens | undefined> {
  const { holder } = session;
  const user = holder.kind === 'user' ? await deps.users.findById(holder.userId) : undefined;
  if (holder.kind === 'user' && !user) throw refused();
  const next = deps.mint.newRefreshToken(session.id);
  const rotated = await deps.sessions.rotate(session, next.hash, deps.now(), next.expiresAt);
  return rotated ? deps.mint.issuePair(session.id, holder, user, next) : undefined;
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'The refresh token is not valid');
}
