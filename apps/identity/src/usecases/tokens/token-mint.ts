import { createId } from '@paralleldrive/cuid2';
import { signAccessToken, type Claims } from '@daycare/auth';
import type { SessionHolder } from '../../domain/session';
import type { User } from '../../domain/user';
import type { SessionStore } from '../../store/session-store';
import { hashOf, newProofKey, newSecret } from './refresh-secret';
import type { SigningKeys } from './signing-keys';

export interface TokenLifetimes {
  readonly accessMs: number;
  readonly refreshMs: number;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly accessExpiresAt: Date;
  /** Services have none: they use their credential again. */
  readonly refresh: { readonly token: string; readonly expiresAt: Date } | undefined;
}

export interface TokenMintDeps {
  readonly keys: SigningKeys;
  readonly sessions: SessionStore;
  readonly lifetimes: TokenLifetimes;
  readonly now: () => Date;
}

/** Issues access and refresh tokens. */
export class TokenMint {
  constructor(private readonly deps: TokenMintDeps) {}

  /** Opens a session and issues its first pair of tokens. */
  async openSession(holder: SessionHolder, user: User | undefined): Promise<IssuedTokens> {
    const now = this.deps.now();
    const id = createId();
    const proofKey = newProofKey();
    const refresh = this.newRefreshToken(id, proofKey);
    const { hash: currentHash, expiresAt } = refresh;
    const rotation = { currentHash, recentHashes: [], rotatedAt: now };
    await this.deps.sessions.insert({ id, holder, proofKey, ...rotation, expiresAt });
    return this.issuePair(id, holder, user, refresh);
  }

  /** Signs an access token to go with a stored refresh token. */
  async issuePair(
    sessionId: string,
    holder: SessionHolder,
    user: User | undefined,
    refresh: { readonly token: string; readonly expiresAt: Date },
  ): Promise<IssuedTokens> {
    const claims = { ...subjectOf(holder, user), sessionId, ...this.#standardClaims() };
    return { ...(await this.#sign(claims)), refresh };
  }

  async issueToService(service: string, publicKey: object): Promise<IssuedTokens> {
    const claims: Claims = { kind: 'service', service, publicKey, ...this.#standardClaims() };
    return { ...(await this.#sign(claims)), refresh: undefined };
  }

  newRefreshToken(sessionId: string, proofKey: string) {
    const secret = newSecret(sessionId, proofKey);
    const expiresAt = new Date(this.deps.now().getTime() + this.deps.lifetimes.refreshMs);
    return { token: `${sessionId}.${secret}`, hash: hashOf(secret), expiresAt };
  }

  #standardClaims(): { tokenId: string; expiresAt: number } {
    const expiresAt = Math.floor((this.deps.now().getTime() + this.deps.lifetimes.accessMs) / 1000);
    return { tokenId: createId(), expiresAt };
  }

  async #sign(claims: Claims): Promise<Pick<IssuedTokens, 'accessToken' | 'accessExpiresAt'>> {
    const key = await this.deps.keys.signingKey();
    const accessToken = await signAccessToken(claims, key, this.deps.now());
    return { accessToken, accessExpiresAt: new Date(claims.expiresAt * 1000) };
  }
}

function subjectOf(holder: SessionHolder, user: User | undefined) {
  if (holder.kind === 'admin') return { kind: 'admin' } as const;
  const { userId, agentId } = holder;
  return {
    kind: 'user',
    userId,
    ...(agentId !== undefined && { agentId }),
    ...(user?.parentUserId !== undefined && { parentUserId: user.parentUserId }),
  } as const;
}
