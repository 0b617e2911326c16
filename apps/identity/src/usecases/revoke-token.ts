import { FieldChecks } from '@daycare/errors';
import type { TokenVerifier } from '@daycare/auth';
import type { RevocationStore } from '../store/revocation-store';
import type { SessionStore } from '../store/session-store';
import { readRefreshToken } from './token-mint';

export interface RevokeTokenDeps {
  readonly verifier: TokenVerifier;
  readonly sessions: SessionStore;
  readonly revocations: RevocationStore;
  readonly now: () => Date;
  readonly accessLifetimeMs: number;
}

/**
 * Ends a token before its time: an access token alone, a refresh token with its whole session. What
 * is not a live token of ours has ended already, so every other token is answered the same way.
 */
export function makeRevokeToken(deps: RevokeTokenDeps) {
  return async (token: string): Promise<void> => {
    new FieldChecks().require(token !== '', 'token', 'is required').done();
    const presented = readRefreshToken(token);
    if (presented) return endSession(deps, presented);
    const claims = await deps.verifier.verify(token).catch(() => undefined);
    if (!claims) return;
    const expiresAt = new Date(claims.expiresAt * 1000);
    await deps.revocations.add([{ id: claims.tokenId, expiresAt }]);
  };
}

async function endSession(
  { sessions, revocations, now, accessLifetimeMs }: RevokeTokenDeps,
  presented: { readonly sessionId: string; readonly hash: string },
): Promise<void> {
  const session = await sessions.find(presented.sessionId);
  const isOurs = session && [session.currentHash, session.previousHash].includes(presented.hash);
  if (!isOurs) return;
  const expiresAt = new Date(now().getTime() + accessLifetimeMs);
  await revocations.add([{ id: session.id, expiresAt }]);
  await sessions.remove(session.id);
}
