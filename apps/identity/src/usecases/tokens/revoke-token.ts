import { FieldChecks } from '@daycare/api';
import type { TokenVerifier } from '@daycare/auth';
import { endSession, type EndSessionDeps } from './end-session';
import { presentTo, readRefreshToken, type RefreshToken } from './refresh-secret';

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

async function revokeSession(deps: RevokeTokenDeps, presented: RefreshToken): Promise<void> {
  const session = await deps.sessions.find(presented.sessionId);
  if (!session) return;
  const { hash, isGenuine } = presentTo(session, presented);
  const isKnown = [session.currentHash, ...session.recentHashes].includes(hash);
  if (isKnown || isGenuine) await endSession(deps, session.id);
}
