import { importJWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import { checkJwt, invalidToken } from './check-jwt';
import { subjectOf, tokenTypes, userIdsOf, type Claims, type UserSubject } from './claims';
import type { KeyRing } from './key-ring';
import { contextSeconds, reuseContextMs } from './service-credential';

export type ServiceClaims = Extract<Claims, { kind: 'service' }>;

/** The one on whose behalf a service calls: a user, or the service itself. */
export type ContextSubject = UserSubject | 'service';

/** How far two services' clocks may differ; the times in a context are by the caller's clock. */
const toleranceSeconds = 30;
/** Smaller differences between clocks are not reported. */
const minReportedSkewSeconds = 5;

interface VerifiedContext {
  readonly subject: ContextSubject;
  /** The only method that may be called with this context. */
  readonly method: string;
  /** Epoch seconds; includes the tolerance for differing clocks. */
  readonly expiresAt: number;
  readonly userIds: readonly string[];
}

export interface ContextVerifierOptions {
  readonly now: () => number;
  readonly capacity: number;
  readonly onClockSkew: (service: string, seconds: number) => void;
}

/**
 * Verifies the contexts in which services state on whose behalf they call. The caller's token is verified
 * separately.
 */
export class ContextVerifier {
  readonly #contexts: LRUCache<string, VerifiedContext>;
  readonly #importedKeys = new WeakMap<ServiceClaims, ReturnType<typeof importJWK>>();
  readonly #skewedServices = new Set<string>();

  constructor(
    private readonly keys: KeyRing,
    private readonly service: string,
    private readonly options: ContextVerifierOptions,
  ) {
    this.#contexts = new LRUCache(limitEntries(options.capacity));
  }

  async verify(context: string, caller: ServiceClaims, method: string): Promise<ContextSubject> {
    const subject = this.verifyKnown(context, caller, method);
    return subject ?? this.#accept(await this.#verifyNew(context, caller), method);
  }

  /** Like `verify`, but synchronous and only for a context that was verified before; undefined for any other. */
  verifyKnown(context: string, caller: ServiceClaims, method: string): ContextSubject | undefined {
    const key = cacheKey(context, caller);
    const verified = this.#contexts.get(key);
    if (!verified) return undefined;
    if (verified.expiresAt * 1000 > this.options.now()) return this.#accept(verified, method);
    this.#contexts.delete(key);
    return undefined;
  }

  #accept(
    { subject, userIds, method: signedMethod }: VerifiedContext,
    method: string,
  ): ContextSubject {
    if (signedMethod !== method) throw invalidToken();
    for (const id of userIds) if (this.keys.isRevoked(id)) throw invalidToken();
    return subject;
  }

  async #verifyNew(context: string, caller: ServiceClaims): Promise<VerifiedContext> {
    const key = await this.#keyOf(caller);
    const nowMs = this.options.now();
    const payload = await checkJwt(context, async () => key, {
      typ: tokenTypes.context,
      issuer: caller.service,
      audience: this.service,
      clockTolerance: toleranceSeconds,
      currentDate: new Date(nowMs),
    });
    const { sub, exp = 0, method } = payload;
    const remainingSeconds = exp - nowMs / 1000;
    if (!sub || typeof method !== 'string' || remainingSeconds > contextSeconds + toleranceSeconds)
      throw invalidToken();
    this.#reportSkew(caller.service, remainingSeconds);
    const subject: ContextSubject = sub === caller.service ? 'service' : subjectOf(payload, sub);
    const userIds = subject === 'service' ? [] : userIdsOf(subject);
    const verified = { subject, method, expiresAt: exp + toleranceSeconds, userIds };
    this.#contexts.set(cacheKey(context, caller), verified);
    return verified;
  }

  /** Returns the public key in the caller's token, imported once per token rather than once per context. */
  #keyOf(caller: ServiceClaims): ReturnType<typeof importJWK> {
    const imported = this.#importedKeys.get(caller);
    if (imported) return imported;
    const key = importJWK(caller.publicKey, 'EdDSA').catch(() => {
      throw invalidToken();
    });
    this.#importedKeys.set(caller, key);
    return key;
  }

  /**
   * Contexts are sent only during the first half of their lifetime, so any other remaining lifetime shows
   * that the caller's clock differs.
   */
  #reportSkew(service: string, remainingSeconds: number): void {
    const ahead = remainingSeconds - contextSeconds;
    const behind = remainingSeconds - (contextSeconds - reuseContextMs / 1000);
    const skew =
      ahead > minReportedSkewSeconds ? ahead : behind < -minReportedSkewSeconds ? behind : 0;
    if (skew === 0 || this.#skewedServices.has(service)) return;
    this.#skewedServices.add(service);
    this.options.onClockSkew(service, Math.round(skew));
  }
}

/** The key includes the token, because a context is invalid with any other service's token. */
function cacheKey(context: string, { tokenId }: ServiceClaims): string {
  return `${tokenId} ${context}`;
}
