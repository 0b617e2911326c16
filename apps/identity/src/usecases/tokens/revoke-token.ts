import { FieldChecks } from '@daycare/api';
import type { TokenVerifier } from '@daycare/auth';
import { endSession, type EndSessionDeps } from './end-session';
import { readRefreshToken, type PresentedRefreshToken } from './token-mint';

export interface RevokeTokenDeps extends EndSessionDeps {
  readonly verifier: TokenVerifier;
}

/**
 * Revokes an access token, or the whole session of a refresh token. An expired or foreign token needs no
 * revocation, so it gets the same answer.
 */
export function makeRevokeToken(deps: RevokeTokenDeps) {
  return async (token: string): Promise<void> => {
    new FieldChecks().require(token !== '', 'token', 'is required').done();
    const presented = readRefreshToken(token);
    if (presented) return revokeSession(deps, presented);
    const claims = await deps.verifier.verify(token).catch(() => undefined);
    if (!claims) return;
    const expiresAt = new Date(claims.expiresAt * 1000);
    await deps.revocations.add([{ id: claims.tokenId, expiresAt }]);
  };
}

async function revokeSession(
  deps: RevokeTokenDeps,
  { sessionId, hash }: PresentedRefreshToken,
): Promise<void> {
  const session = await deps.sessions.find(sessionId);
  const isOurs = session && [session.currentHash, session.previousHash].includes(hash);
  if (isOurs) await endSession(deps, session.id);
}
