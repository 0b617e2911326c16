import { LRUCache } from 'lru-cache';
import { AppError, genericMessage, limitEntries } from '@daycare/api';
import { checkJwt, invalidToken, keyIdOf } from './check-jwt';
import { fromPayload, issuer, tokenTypes, userIdsOf, type Claims } from './claims';
import { ContextVerifier, type ContextSubject, type ServiceClaims } from './context-verifier';
import type { KeyRing } from './key-ring';

export type { ContextSubject, ServiceClaims } from './context-verifier';

const clockToleranceSeconds = 5;

interface VerifiedToken {
  readonly claims: Claims;
  readonly keyId: string | undefined;
  readonly revocableIds: readonly string[];
  /** The version of the key ring that last accepted the token. */
  acceptedByVersion: number;
}

export interface TokenVerifierOptions {
  readonly now?: () => number;
  /** How many tokens, and how many contexts, are remembered. */
  readonly capacity?: number;
  /** Called once for each service whose clock differs noticeably; `seconds` is positive when it is ahead. */
  readonly onClockSkew?: (service: string, seconds: number) => void;
}

/**
 * Verifies tokens against the key ring. A token that was seen before costs one cache look-up and is
 * accepted without waiting. Its expiry is checked every time; its key and revocations are checked again
 * whenever the ring has changed.
 */
export class TokenVerifier {
  readonly #tokens: LRUCache<string, VerifiedToken>;
  readonly #contexts: ContextVerifier;
  readonly #now: () => number;

  /** `service` is the verifying service; a context is valid for only one callee. */
  constructor(
    private readonly keys: KeyRing,
    service: string,
    { now = Date.now, capacity = 20_000, onClockSkew }: TokenVerifierOptions = {},
  ) {
    this.#tokens = new LRUCache(limitEntries(capacity));
    this.#now = now;
    const report = onClockSkew ?? (() => undefined);
    this.#contexts = new ContextVerifier(keys, service, { now, capacity, onClockSkew: report });
  }

  /**
   * Throws UNAUTHENTICATED unless identity signed the token and it is neither expired nor revoked. Before the first
   * complete update of keys and revocations, throws UNAVAILABLE for every JWT.
   */
  async verify(token: string): Promise<Claims> {
    return this.verifyKnown(token) ?? this.#accept(await this.#verifyNew(token));
  }

  /** Like `verify`, but synchronous and only for a token that was verified before; undefined for any other. */
  verifyKnown(token: string): Claims | undefined {
    const verified = this.#tokens.get(token);
    if (!verified) return undefined;
    if (verified.claims.expiresAt * 1000 > this.#now()) return this.#accept(verified);
    this.#tokens.delete(token);
    return undefined;
  }

  /**
   * Verifies the context that a calling service sends: it must be issued for this service and method, and
   * signed with the key that the caller's token names. Returns the user for whom the caller acts, or
   * `service` when it acts for itself.
   */
  verifyContext(context: string, caller: ServiceClaims, method: string): Promise<ContextSubject> {
    return this.#contexts.verify(context, caller, method);
  }

  /** Like `verifyContext`, but synchronous and only for a context that was verified before; undefined for any other. */
  verifyKnownContext(
    context: string,
    caller: ServiceClaims,
    method: string,
  ): ContextSubject | undefined {
    return this.#contexts.verifyKnown(context, caller, method);
  }

  #accept(token: VerifiedToken): Claims {
    const { claims, keyId, revocableIds } = token;
    const { version } = this.keys;
    if (token.acceptedByVersion === version) return claims;
    const { credentialId, issuedAt } = claims;
    if (!this.keys.accepts({ keyId, credentialId, issuedAt, revocableIds })) throw invalidToken();
    token.acceptedByVersion = version;
    return claims;
  }

  async #verifyNew(token: string): Promise<VerifiedToken> {
    const keyId = keyIdOf(token);
    // The key may be newer than the last update, so fetch once more before rejecting the token.
    if (!this.keys.knows(keyId)) await this.keys.refreshForUnknownKey();
    // Before the first complete update, any token may be valid, and any may be revoked.
    if (this.keys.freshAt === 0) throw new AppError('UNAVAILABLE', genericMessage('UNAVAILABLE'));
    const claims = fromPayload(
      await checkJwt(token, this.keys.resolver, {
        typ: tokenTypes.access,
        issuer,
        audience: issuer,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.#now()),
      }),
    );
    if (!claims || this.#livesTooLong(claims)) throw invalidToken();
    const verified = { claims, keyId, revocableIds: revocableIdsOf(claims), acceptedByVersion: -1 };
    this.#tokens.set(token, verified);
    return verified;
  }

  /**
   * Reports whether a token lives longer than any that identity issues; whoever signed such a token has stolen a key.
   */
  #livesTooLong({ issuedAt, expiresAt }: Claims): boolean {
    const { maxTokenMs = Infinity } = this.keys;
    return (expiresAt - issuedAt) * 1000 > maxTokenMs + clockToleranceSeconds * 1000;
  }
}

function revocableIdsOf(claims: Claims): string[] {
  const ids = [claims.tokenId, `credential:${claims.credentialId}`];
  if (claims.kind === 'service' || claims.kind === 'client') return ids;
  const idsWithSession = [...ids, claims.sessionId];
  return claims.kind === 'user' ? [...idsWithSession, ...userIdsOf(claims)] : idsWithSession;
}
