import { AppError, FieldChecks } from '@daycare/api';
import type { Claims, TokenVerifier } from '@daycare/auth';
import { ownerKeyOf } from '../../domain/sign-in/personal-token';
import type { PersonalTokenStore } from '../../store/sign-in/personal-token-store';
import { endPersonalToken } from './end-personal-tokens';
import { endSessions, lastExpiry, type EndSessionsDeps } from './end-sessions';
import { findBySecret } from './personal-secret';
import { toPresentedToken, readRefreshToken, type RefreshToken } from './refresh-secret';

export interface RevokeTokenDeps extends EndSessionsDeps {
  readonly personalTokens: PersonalTokenStore;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
}

/** Who revokes: an operator, a service, or whoever holds the token. */
export type Revoker =
  | { readonly kind: 'admin' }
  | { readonly kind: 'service'; readonly service: string }
  | { readonly kind: 'holder' };

/**
 * Revokes an access token, a personal access token, or the whole session of a refresh token. A token that has expired
 * or was not issued by identity needs no revocation, so the call succeeds as if the token had been revoked.
 */
export function makeRevokeToken(deps: RevokeTokenDeps) {
  return async (token: string, revoker: Revoker): Promise<void> => {
    new FieldChecks().require(token !== '', 'token', 'is required').done();
    const personal = await findBySecret(deps, token);
    if (personal) {
      await endPersonalToken(deps, ownerKeyOf(personal.holder), personal.id);
      return;
    }
    const presented = readRefreshToken(token);
    if (presented) return revokeSession(deps, presented);
    const claims = await deps.verifier.verify(token).catch(() => undefined);
    if (claims) await revokeAccess(deps, claims, revoker);
  };
}

async function revokeAccess(
  deps: RevokeTokenDeps,
  claims: Claims,
  revoker: Revoker,
): Promise<void> {
  const expiresAt = new Date(claims.expiresAt * 1000);
  const entry = { id: claims.tokenId, expiresAt };
  if (claims.kind === 'service') {
    assertMayRevoke(revoker, claims.service);
    return deps.revocations.add([entry]);
  }
  if (claims.kind === 'client') return revokeClientToken(deps, claims);
  const ownerId = claims.kind === 'admin' ? 'admin' : (claims.parentUserId ?? claims.userId);
  const entryCount = await deps.revocations.countByOwner(ownerId, deps.now(), maxTokenEntries);
  if (entryCount >= maxTokenEntries && (await endIssuer(deps, ownerId, claims.sessionId))) return;
  await deps.revocations.add([{ ...entry, ownerId }]);
}

/**
 * Ends the session or the personal access token for which a token was issued, which takes one entry instead of
 * many. False when neither exists any more, in which case no further tokens can be issued.
 */
async function endIssuer(
  deps: RevokeTokenDeps,
  ownerId: string,
  issuerId: string,
): Promise<boolean> {
  const session = await deps.sessions.find(issuerId);
  if (!session) return endPersonalToken(deps, ownerId, issuerId);
  await endSessions(deps, [session]);
  return true;
}

/**
 * From this many entries on, revoking one of an owner's access tokens ends the session or personal access token for
 * which it was issued, and revoking a client's token also revokes those issued earlier with the same secret.
 */
const maxTokenEntries = 100;

/**
 * A client can request any number of tokens. Beyond the limit, one entry revokes every token issued with its secret
 * up to this one. That includes the access tokens of sessions opened with the secret, but the sessions do not end:
 * refreshing them yields valid access tokens.
 */
async function revokeClientToken(
  deps: RevokeTokenDeps,
  { name, tokenId, credentialId, issuedAt, expiresAt }: Extract<Claims, { kind: 'client' }>,
): Promise<void> {
  const { revocations, now } = deps;
  const ownerId = `client:${name}`;
  if ((await revocations.countByOwner(ownerId, now(), maxTokenEntries)) < maxTokenEntries)
    return revocations.add([{ id: tokenId, expiresAt: new Date(expiresAt * 1000), ownerId }]);
  const issuedBefore = new Date(issuedAt * 1000 + 1);
  await revocations.add([
    { id: `credential:${credentialId}`, expiresAt: await lastExpiry(deps), issuedBefore },
  ]);
}

/** A service sees the tokens of the services that call it; if it could revoke them, it could stop these services. */
function assertMayRevoke(revoker: Revoker, service: string): void {
  if (revoker.kind === 'admin') return;
  if (revoker.kind === 'service' && revoker.service === service) return;
  throw new AppError(
    'PERMISSION_DENIED',
    "A service's token can be revoked only by that service or by an operator",
  );
}

async function revokeSession(deps: RevokeTokenDeps, presented: RefreshToken): Promise<void> {
  const session = await deps.sessions.find(presented.sessionId);
  if (!session) return;
  const { hash, isGenuine } = toPresentedToken(session, presented);
  const isKnown = [session.currentHash, ...session.recentHashes].includes(hash);
  if (isKnown || isGenuine) await endSessions(deps, [session]);
}
