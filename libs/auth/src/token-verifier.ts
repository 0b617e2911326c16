import { decodeProtectedHeader, importJWK, jwtVerify, type JWTPayload } from 'jose';
import { AppError } from '@daycare/errors';
import { BoundedCache } from './bounded-cache';
import {
  fromPayload,
  issuer,
  subjectOf,
  tokenTypes,
  type Claims,
  type UserSubject,
} from './claims';
import type { KeyRing } from './key-ring';

/** The longest a context may live, in seconds. */
export const maxContextSeconds = 60;

const algorithms = ['EdDSA'];
const clockToleranceSeconds = 5;

type ServiceClaims = Extract<Claims, { kind: 'service' }>;

interface Verified<T> {
  readonly value: T;
  readonly expiresAt: number;
}

/**
 * Checks tokens against the key ring. A token that was seen before costs a look-up; whether it was
 * revoked is asked every time.
 */
export class TokenVerifier {
  readonly #claims: BoundedCache<string, Verified<Claims>>;
  readonly #contexts: BoundedCache<string, Verified<UserSubject | 'service'>>;

  /** `me` is the service that checks: contexts are made out to one service and no other. */
  constructor(
    private readonly keys: KeyRing,
    private readonly me: string,
    private readonly now: () => number = Date.now,
    capacity = 20_000,
  ) {
    this.#claims = new BoundedCache(capacity);
    this.#contexts = new BoundedCache(capacity);
  }

  /** Throws UNAUTHENTICATED unless the token was signed by identity, is in time and not revoked. */
  async verify(token: string): Promise<Claims> {
    const claims = this.#fresh(this.#claims, token) ?? (await this.#verifyNew(token));
    if (revocableIds(claims).some((id) => this.keys.isRevoked(id))) throw untrusted();
    return claims;
  }

  /**
   * Checks the context that a service sends along: made out to us, signed by the key its token names.
   * Returns the user it acts for; undefined when it speaks for itself.
   */
  async verifyContext(context: string, service: ServiceClaims): Promise<UserSubject | undefined> {
    const key = `${service.tokenId} ${context}`;
    const subject =
      this.#fresh(this.#contexts, key) ?? (await this.#verifyNewContext(key, context, service));
    if (subject === 'service') return undefined;
    if (userIds(subject).some((id) => this.keys.isRevoked(id))) throw untrusted();
    return subject;
  }

  #fresh<T>(cache: BoundedCache<string, Verified<T>>, key: string): T | undefined {
    const found = cache.get(key);
    if (!found) return undefined;
    if (found.expiresAt * 1000 > this.now()) return found.value;
    cache.delete(key);
    return undefined;
  }

  async #verifyNew(token: string): Promise<Claims> {
    await this.#meetKey(token);
    const payload = await this.#check(token, this.keys.resolver, {
      typ: tokenTypes.access,
      issuer,
      audience: issuer,
    });
    const claims = fromPayload(payload);
    if (!claims) throw untrusted();
    this.#claims.set(token, { value: claims, expiresAt: claims.expiresAt });
    return claims;
  }

  async #verifyNewContext(
    cacheKey: string,
    context: string,
    service: ServiceClaims,
  ): Promise<UserSubject | 'service'> {
    const key = await importJWK(service.publicKey, 'EdDSA').catch(() => {
      throw untrusted();
    });
    const expected = { typ: tokenTypes.context, issuer: service.service, audience: this.me };
    const payload = await this.#check(context, async () => key, expected);
    const { sub, exp = 0 } = payload;
    const latest = this.now() / 1000 + maxContextSeconds + clockToleranceSeconds;
    if (!sub || exp > latest) throw untrusted();
    const value = sub === service.service ? 'service' : subjectOf(payload, sub);
    this.#contexts.set(cacheKey, { value, expiresAt: exp });
    return value;
  }

  /** A key may be newer than our last look: ask once before refusing it. */
  async #meetKey(token: string): Promise<void> {
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
      throw untrusted(cause);
    }
  }
}

function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch (cause) {
    throw untrusted(cause);
  }
}

function revocableIds(claims: Claims): string[] {
  if (claims.kind === 'service') return [claims.tokenId];
  const ids = [claims.tokenId, claims.sessionId];
  return claims.kind === 'user' ? [...ids, ...userIds(claims)] : ids;
}

function userIds({ userId, parentUserId }: UserSubject): string[] {
  const ids = [`user:${userId}`];
  return parentUserId === undefined ? ids : [...ids, `user:${parentUserId}`];
}

/** One text for every way a token can fail, so that a forger learns nothing. */
function untrusted(cause?: unknown): AppError {
  return new AppError('UNAUTHENTICATED', 'The token is not valid', {}, { cause });
}
