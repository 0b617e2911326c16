import type { Revocation } from '../../domain/revocation';
import {
  mayHaveLiveTokens,
  ownerKeyOf,
  type PersonalToken,
} from '../../domain/sign-in/personal-token';
import type { SessionFilter } from '../../store/session-store';
import type { PersonalTokenStore } from '../../store/sign-in/personal-token-store';
import type { EndSessionsDeps } from './end-sessions';

export interface EndTokensDeps extends Pick<EndSessionsDeps, 'now' | 'longestTokenLifetimeMs'> {
  readonly personalTokens: PersonalTokenStore;
}

/**
 * Ends an owner's token, and revokes its access tokens if any may still be valid. Resolves to false when the owner has
 * no such token.
 */
export async function endPersonalToken(
  { personalTokens, now, longestTokenLifetimeMs }: EndTokensDeps,
  ownerKey: string,
  tokenId: string,
): Promise<boolean> {
  const lifetimeMs = await longestTokenLifetimeMs();
  const at = now();
  const revocationOf = (token: PersonalToken): Revocation | undefined =>
    mayHaveLiveTokens(token, lifetimeMs, at)
      ? { id: tokenId, expiresAt: new Date(at.getTime() + lifetimeMs), ownerId: ownerKey }
      : undefined;
  return personalTokens.end(ownerKey, tokenId, at, revocationOf);
}

/** Ends all of an owner's tokens, or only those that act as the given user; returns how many. */
export async function endPersonalTokens(
  deps: EndTokensDeps,
  { ownerId, userId }: Extract<SessionFilter, { ownerId: string }>,
): Promise<number> {
  const tokens = await deps.personalTokens.list(ownerId, deps.now());
  const chosen = tokens.filter(({ holder }) => userId === undefined || isHeldBy(holder, userId));
  for (const { id, holder } of chosen) await endPersonalToken(deps, ownerKeyOf(holder), id);
  return chosen.length;
}

function isHeldBy(holder: PersonalToken['holder'], userId: string): boolean {
  return holder.kind === 'user' && holder.userId === userId;
}
