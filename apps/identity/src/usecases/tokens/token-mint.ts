import { createHash, randomBytes } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import { signAccessToken, type Claims } from '@daycare/auth';
import type { SessionHolder } from '../../domain/session';
import type { User } from '../../domain/user';
import type { SessionStore } from '../../store/session-store';
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

/** A parsed refresh token: its session, and the hash of its secret. */
export interface PresentedRefreshToken {
  readonly sessionId: string;
  readonly hash: string;
}

/** Issues access and refresh tokens. */
export class TokenMint {
  constructor(private readonly deps: TokenMintDeps) {}

  /** Opens a session and issues its first pair of tokens. */
  async openSession(holder: SessionHolder, user: User | undefined): Promise<IssuedTokens> {
    const now = this.deps.now();
    const id = createId();
    const refresh = this.newRefreshToken(id);
    await this.deps.sessions.insert({
      id,
      holder,
      currentHash: refresh.hash,
      previousHash: undefined,
      rotatedAt: now,
      expiresAt: refresh.expiresAt,
    });
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

  newRefreshToken(sessionId: string) {
    const secret = randomBytes(32).toString('base64url');
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

/** Parses a refresh token; undefined when it cannot be one. */
export function readRefreshToken(token: string): PresentedRefreshToken | undefined {
  const [, sessionId, secret] = /^([a-z0-9]{2,64})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
  return sessionId && secret ? { sessionId, hash: hashOf(secret) } : undefined;
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

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
