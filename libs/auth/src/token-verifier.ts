import { decodeProtectedHeader, importJWK, jwtVerify, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppError, limitEntries } from '@daycare/api';
import {
  fromPayload,
  issuer,
  subjectOf,
  tokenTypes,
  type Claims,
  type UserSubject,
} from './claims';
import type { KeyRing } from './key-ring';

const maxContextSeconds = 60;

const algorithms = ['EdDSA'];
const clockToleranceSeconds = 5;

export type ServiceClaims = Extract<Claims, { kind: 'service' }>;

/** Whom a context acts for: a user, or the service itself. */
export type ContextSubject = UserSubject | 'service';

interface Verified<T> {
  readonly value: T;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** The ids by which it can be revoked. */
  readonly revocableIds: readonly string[];
}

/**
 * Verifies tokens against the key ring. A token that was seen before costs one cache look-up and is
 * accepted without waiting; whether it has expired or been revoked is checked every time.
 */
export class TokenVerifier {
  readonly #claims: LRUCache<string, Verified<Claims>>;
  readonly #contexts: LRUCache<string, Verified<ContextSubject>>;

  /** `service` is the one that verifies: a context is valid for one callee only. */
  constructor(
    private readonly keys: KeyRing,
    private readonly service: string,
    private readonly now: () => number = Date.now,
    capacity = 20_000,
  ) {
    this.#claims = new LRUCache(limitEntries(capacity));
    this.#contexts = new LRUCache(limitEntries(capacity));
  }

  /** Throws UNAUTHENTICATED unless identity signed the token and it is neither expired nor revoked. */
  async verify(token: string): Promise<Claims> {
    return this.known(token) ?? this.#accept(await this.#verifyNew(token));
  }

  /** As `verify`, for a token that was verified before; undefined for any other. */
  known(token: string): Claims | undefined {
    return this.#cached(this.#claims, token);
  }

  /**
   * Verifies the context that a calling service sends: issued for this service, signed with the key its
   * token names. Returns the user it acts for, or `service` when it acts for itself.
   */
  async verifyContext(context: string, caller: ServiceClaims): Promise<ContextSubject> {
    const known = this.knownContext(context, caller);
    return known ?? this.#accept(await this.#verifyNewContext(context, caller));
  }

  /** As `verifyContext`, for a context that was verified before; undefined for any other. */
  knownContext(context: string, caller: ServiceClaims): ContextSubject | undefined {
    return this.#cached(this.#contexts, contextCacheKey(context, caller));
  }

  #cached<T>(cache: LRUCache<string, Verified<T>>, key: string): T | undefined {
    const found = cache.get(key);
    if (!found) return undefined;
    if (found.expiresAt * 1000 > this.now()) return this.#accept(found);
    cache.delete(key);
    return undefined;
  }

  #accept<T>({ value, revocableIds }: Verified<T>): T {
    for (const id of revocableIds) if (this.keys.isRevoked(id)) throw invalidToken();
    return value;
  }

  async #verifyNew(token: string): Promise<Verified<Claims>> {
    await this.#fetchUnknownKey(token);
    const payload = await this.#check(token, this.keys.resolver, {
      typ: tokenTypes.access,
      issuer,
      audience: issuer,
    });
    const value = fromPayload(payload);
    if (!value) throw invalidToken();
    const { expiresAt } = value;
    const verified = { value, expiresAt, revocableIds: revocableIdsOf(value) };
    this.#claims.set(token, verified);
    return verified;
  }

  async #verifyNewContext(
    context: string,
    caller: ServiceClaims,
  ): Promise<Verified<ContextSubject>> {
    const key = await importJWK(caller.publicKey, 'EdDSA').catch(() => {
      throw invalidToken();
    });
    const expected = { typ: tokenTypes.context, issuer: caller.service, audience: this.service };
    const payload = await this.#check(context, async () => key, expected);
    const { sub, exp = 0 } = payload;
    const latest = this.now() / 1000 + maxContextSeconds + clockToleranceSeconds;
    if (!sub || exp > latest) throw invalidToken();
    const value: ContextSubject = sub === caller.service ? 'service' : subjectOf(payload, sub);
    const revocableIds = value === 'service' ? [] : userIds(value);
    const verified = { value, expiresAt: exp, revocableIds };
    this.#contexts.set(contextCacheKey(context, caller), verified);
    return verified;
  }

  /** A key may be newer than the last snapshot: fetch once more before rejecting it. */
  async #fetchUnknownKey(token: string): Promise<void> {
    if (!this.keys.knows(keyIdOf(token))) await this.keys.refreshForUnknownKey();
  }

  async #check(
    token: string,
    key: Parameters<typeof jwtVerify>[1],
    expected: { readonly typ: string; readonly issuer: string; readonly audience: string },
  ): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, key as KeyRing['resolver'], {
        ...expected,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.now()),
        requiredClaims: ['exp', 'iat', 'sub'],
      });
      return payload;
    } catch (cause) {
      throw invalidToken(cause);
    }
  }
}

/** A context is worth nothing with the token of another service. */
function contextCacheKey(context: string, { tokenId }: ServiceClaims): string {
  return `${tokenId} ${context}`;
}

function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch (cause) {
    throw invalidToken(cause);
  }
}

function revocableIdsOf(claims: Claims): string[] {
  if (claims.kind === 'service') return [claims.tokenId];
  const ids = [claims.tokenId, claims.sessionId];
  return claims.kind === 'user' ? [...ids, ...userIds(claims)] : ids;
}

function userIds({ userId, parentUserId }: UserSubject): string[] {
  const ids = [`user:${userId}`];
  return parentUserId === undefined ? ids : [...ids, `user:${parentUserId}`];
}

/** The same message for every reason, so that an attacker gains no information. */
function invalidToken(cause?: unknown): AppError {
  return new AppError('UNAUTHENTICATED', 'The token is invalid', {}, { cause });
}
