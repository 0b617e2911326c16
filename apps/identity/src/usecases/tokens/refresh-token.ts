import { AppError, FieldChecks } from '@daycare/api';
import { decideRefresh, rotated, type Session } from '../../domain/session';
import type { UserStore } from '../../store/user-store';
import { endSession, type EndSessionDeps } from './end-session';
import { newProofKey, presentTo, readRefreshToken } from './refresh-secret';
import type { IssuedTokens, TokenMint } from './token-mint';

export interface RefreshTokenDeps extends EndSessionDeps {
  readonly users: UserStore;
  readonly mint: TokenMint;
}

const maxTries = 5;

/** Exchanges a refresh token for the next pair; a copy that is used later ends the session. */
export function makeRefreshToken(deps: RefreshTokenDeps) {
  return async (text: string): Promise<IssuedTokens> => {
    new FieldChecks().require(text !== '', 'refresh_token', 'is required').done();
    const presented = readRefreshToken(text);
    if (!presented) throw refused();
    // Of two concurrent exchanges, the loser reads again and finds that its token is now the previous one.
    for (let tryNumber = 0; tryNumber < maxTries; tryNumber += 1) {
      const session = await deps.sessions.find(presented.sessionId);
      if (!session) throw refused();
      const token = presentTo(session, presented);
      const decision = decideRefresh(session, token, deps.now());
      if (decision === 'end-session') await endSession(deps, session.id);
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
  const { id, holder } = session;
  const user = holder.kind === 'user' ? await users.findById(holder.userId) : undefined;
  if (holder.kind === 'user' && !user) throw refused();
  const proofKey = session.proofKey ?? newProofKey();
  const next = mint.newRefreshToken(id, proofKey);
  const rotation = rotated(session, presentedHash, next.hash, now());
  const { expiresAt } = next;
  const isRotated = await sessions.rotate(session, { ...rotation, proofKey, expiresAt });
  return isRotated ? mint.issuePair(id, holder, user, next) : undefined;
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'The refresh token is not valid');
}
