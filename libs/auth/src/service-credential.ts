import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { AppError } from '@daycare/errors';
import { BoundedCache } from './bounded-cache';
import { subjectPayload, tokenTypes, type UserSubject } from './claims';

/** The metadata key that carries on whose behalf a service calls. */
export const contextKey = 'daycare-context';

export interface ServiceToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface ServiceCredentialOptions {
  readonly service: string;
  /** Asks identity for a token that names this service and the given public key. */
  readonly requestToken: (publicKey: JWK) => Promise<ServiceToken>;
  readonly onFailure: (error: unknown) => void;
  readonly now?: () => number;
}

interface CachedContext {
  readonly context: string;
  readonly reuseUntil: number;
}

const contextSeconds = 60;
const reuseContextMs = 30_000;
const retryMs = 1_000;

/**
 * How a service proves itself to others: a token from identity that names the service and a key only
 * this process holds, and contexts signed by that key when it acts for a user. The token is renewed
 * in the background; contexts are reused for half their life.
 */
export class ServiceCredential {
  readonly #contexts = new BoundedCache<string, CachedContext>(10_000);
  readonly #now: () => number;
  #current: ServiceToken | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  private constructor(
    private readonly options: ServiceCredentialOptions,
    private readonly privateKey: CryptoKey,
    private readonly publicKey: JWK,
  ) {
    this.#now = options.now ?? Date.now;
  }

  /** Draws a key. The first token is asked for in the background: peers may start in any order. */
  static async create(options: ServiceCredentialOptions): Promise<ServiceCredential> {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    return new ServiceCredential(options, privateKey, await exportJWK(publicKey));
  }

  /** Renews the token for as long as the service runs. Resolves after the first attempt. */
  async start(): Promise<void> {
    await this.#renew();
  }

  stop(): void {
    clearTimeout(this.#renewal);
  }

  /**
   * What to send along with a call to `callee`: as the service itself, or for a user. The context is made
   * out to the callee, so nobody there can pass it on.
   */
  async metadata(callee: string, subject?: UserSubject): Promise<Record<string, string>> {
    const authorization = `Bearer ${await this.#token()}`;
    return { authorization, [contextKey]: await this.#contextFor(callee, subject) };
  }

  /** Identity may have been away when this process started: then the first call asks once more. */
  async #token(): Promise<string> {
    if (!this.#current) await this.#renew();
    if (this.#current) return this.#current.token;
    throw new AppError('UNAVAILABLE', 'The service is temporarily unavailable; try again');
  }

  /** Calls that overlap share one request. */
  #renew(): Promise<void> {
    clearTimeout(this.#renewal);
    this.#renewing ??= this.#requestToken().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #requestToken(): Promise<void> {
    let nextMs = retryMs;
    try {
      this.#current = await this.options.requestToken(this.publicKey);
      nextMs = Math.max((this.#current.expiresAt.getTime() - this.#now()) / 2, retryMs);
    } catch (error) {
      this.options.onFailure(error);
    }
    this.#renewal = setTimeout(() => void this.#renew(), nextMs);
    this.#renewal.unref();
  }

  async #contextFor(callee: string, subject: UserSubject | undefined): Promise<string> {
    const { userId = '', agentId = '', parentUserId = '', hops = '' } = subject ?? {};
    const key = [callee, userId, agentId, parentUserId, hops].join(' ');
    const known = this.#contexts.get(key);
    if (known && known.reuseUntil > this.#now()) return known.context;
    const context = await this.#sign(callee, subject);
    this.#contexts.set(key, { context, reuseUntil: this.#now() + reuseContextMs });
    return context;
  }

  #sign(callee: string, subject: UserSubject | undefined): Promise<string> {
    const issuedAt = Math.floor(this.#now() / 1000);
    const { service } = this.options;
    return new SignJWT(subject ? subjectPayload(subject) : { sub: service })
      .setProtectedHeader({ alg: 'EdDSA', typ: tokenTypes.context })
      .setIssuer(service)
      .setAudience(callee)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + contextSeconds)
      .sign(this.privateKey);
  }
}
