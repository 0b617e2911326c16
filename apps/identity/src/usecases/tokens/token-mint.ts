import { createId } from '@daycare/api/create-id';
import { signAccessToken, type Claims } from '@daycare/auth';
import {
  endOf,
  expiryOf,
  type Session,
  type SessionHolder,
  type SessionLifetimes,
  type SessionOpener,
} from '../../domain/session';
import type { PersonalToken } from '../../domain/sign-in/personal-token';
import type { SessionStore } from '../../store/session-store';
import { hashOf, newProofKey, newSecret } from './refresh-secret';
import type { SigningKeys } from './signing-keys';

export interface TokenLifetimes extends SessionLifetimes {
  readonly accessMs: number;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly accessExpiresAt: Date;
  /** Undefined for services, clients and personal access tokens, which use their credential or secret again. */
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

  get lifetimes(): TokenLifetimes {
    return this.deps.lifetimes;
  }

  /** Opens a session and issues its first pair of tokens. */
  async openSession(holder: SessionHolder, opener: SessionOpener): Promise<IssuedTokens> {
    const now = this.deps.now();
    const id = createId();
    const proofKey = newProofKey();
    const secret = newSecret(id, proofKey);
    const endsAt = endOf(holder, this.lifetimes, now);
    const session: Session = {
      id,
      holder,
      opener,
      proofKey,
      currentHash: hashOf(secret),
      recentHashes: [],
      openedAt: now,
      rotatedAt: now,
      expiresAt: expiryOf(endsAt, this.lifetimes, now),
      endsAt,
    };
    await this.deps.sessions.insert(session);
    return this.issuePair(session, secret);
  }

  /** Signs an access token to go with a stored refresh token. */
  async issuePair(session: Session, secret: string): Promise<IssuedTokens> {
    const { id: sessionId, holder, opener, expiresAt } = session;
    const facts = this.#factsOf(opener.credentialId);
    const signed = await this.#sign({ ...subjectOf(holder), sessionId, ...facts });
    return { ...signed, refresh: { token: `${sessionId}.${secret}`, expiresAt } };
  }

  /** Issues an access token that expires no later than the personal access token for which it is issued. */
  async issueForPersonalToken(token: PersonalToken): Promise<IssuedTokens> {
    const { id: sessionId, holder, opener, scopes } = token;
    const facts = this.#factsOf(opener.credentialId);
    const expiresAt = Math.min(facts.expiresAt, Math.floor(token.expiresAt.getTime() / 1000));
    const claims = { ...subjectOf(holder), sessionId, scopes, ...facts, expiresAt };
    return { ...(await this.#sign(claims)), refresh: undefined };
  }

  async issueToService(
    service: string,
    publicKey: object,
    credentialId: string,
  ): Promise<IssuedTokens> {
    const facts = this.#factsOf(credentialId);
    const signed = await this.#sign({ kind: 'service', service, publicKey, ...facts });
    return { ...signed, refresh: undefined };
  }

  /** Issues a token for calls that concern all of a client's users. */
  async issueToClient(name: string, credentialId: string): Promise<IssuedTokens> {
    const signed = await this.#sign({ kind: 'client', name, ...this.#factsOf(credentialId) });
    return { ...signed, refresh: undefined };
  }

  #factsOf(credentialId: string) {
    const nowMs = this.deps.now().getTime();
    const expiresAt = Math.floor((nowMs + this.lifetimes.accessMs) / 1000);
    return { tokenId: createId(), credentialId, issuedAt: nowMs / 1000, expiresAt };
  }

  async #sign(claims: Claims): Promise<Pick<IssuedTokens, 'accessToken' | 'accessExpiresAt'>> {
    const key = await this.deps.keys.signingKey();
    const accessToken = await signAccessToken(claims, key);
    return { accessToken, accessExpiresAt: new Date(claims.expiresAt * 1000) };
  }
}

function subjectOf(holder: SessionHolder) {
  if (holder.kind === 'admin') return { kind: 'admin' } as const;
  const { userId, agentId, ownerId } = holder;
  return {
    kind: 'user',
    userId,
    ...(agentId !== undefined && { agentId }),
    ...(ownerId !== userId && { parentUserId: ownerId }),
  } as const;
}
