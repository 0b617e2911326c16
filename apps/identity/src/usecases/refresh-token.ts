import { AppError, FieldChecks } from '@daycare/errors';
import { decideRefresh, type Session } from '../domain/session';
import type { RevocationStore } from '../store/revocation-store';
import type { SessionStore } from '../store/session-store';
import type { UserStore } from '../store/user-store';
import { readRefreshToken, type IssuedTokens, type TokenMint } from './token-mint';

export interface RefreshTokenDeps {
  readonly sessions: SessionStore;
  readonly revocations: RevocationStore;
  readonly users: UserStore;
  readonly mint: TokenMint;
  readonly now: () => Date;
  readonly accessLifetimeMs: number;
}

const tries = 5;

/** Exchanges a refresh token for the next pair; a copy that turns up later ends the session. */
export function makeRefreshToken(deps: RefreshTokenDeps) {
  return async (token: string): Promise<IssuedTokens> => {
    new FieldChecks().require(token !== '', 'refresh_token', 'is required').done();
    const presented = readRefreshToken(token);
    if (!presented) throw refused();
    // Two exchanges at the same moment: the loser looks again and finds its token to be the previous one.
    for (let tryNumber = 0; tryNumber < tries; tryNumber += 1) {
      const session = await deps.sessions.find(presented.sessionId);
      if (!session) throw refused();
      const decision = decideRefresh(session, presented.hash, deps.now());
      if (decision === 'end-session') await endSession(deps, session);
      if (decision !== 'rotate') throw refused();
      const issued = await rotate(deps, session);
      if (issued) return issued;
    }
    throw new AppError('CONFLICT', 'The token is being exchanged elsewhere; try again');
  };
}

async function rotate(deps: RefreshTokenDeps, session: Session): Promise<IssuedTokens | undefined> {
  const { holder } = session;
  const user = holder.kind === 'user' ? await deps.users.findById(holder.userId) : undefined;
  if (holder.kind === 'user' && !user) throw refused();
  const next = deps.mint.newRefreshToken(session.id);
  const won = await deps.sessions.rotate(session, next.hash, deps.now(), next.expiresAt);
  return won ? deps.mint.issuePair(session.id, holder, user, next) : undefined;
}

async function endSession(deps: RefreshTokenDeps, { id }: Session): Promise<void> {
  const expiresAt = new Date(deps.now().getTime() + deps.accessLifetimeMs);
  await deps.revocations.add([{ id, expiresAt }]);
  await deps.sessions.remove(id);
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'The refresh token is not valid');
}
