import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppError, limitEntries } from '@daycare/api';
import type { CallMetadata, MetadataFor } from '@daycare/rpc';
import { subjectPayload, tokenTypes, type UserSubject } from './claims';

/** The metadata key that says on whose behalf a service calls. */
export const contextKey = 'daycare-context';

export interface ServiceToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface ServiceCredentialOptions {
  readonly service: string;
  /** Requests, from identity, a token that names this service and the given public key. */
  readonly requestToken: (publicKey: JWK) => Promise<ServiceToken>;
  readonly onFailure: (error: unknown) => void;
  readonly now?: () => number;
}

interface CachedMetadata {
  readonly token: string;
  /** Shared by all calls, because a client converts each object to gRPC metadata only once. */
  readonly metadata: CallMetadata;
  readonly reuseUntil: number;
}

/** How long a context is valid. */
export const contextSeconds = 60;
/** How long a context is reused before the next one is signed. */
export const reuseContextMs = 30_000;
const retryMs = 1_000;

/**
 * How a service authenticates to others: with a token from identity, which names the service and a public
 * key, and with contexts, signed with the private key that only this process holds. The token is renewed in
 * the background; contexts are reused for half their lifetime.
 */
export class ServiceCredential {
  readonly #metadata = new LRUCache<string, CachedMetadata>(limitEntries(20_000));
  readonly #now: () => number;
  #current: ServiceToken | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #requestedAtMs = -Infinity;

  private constructor(
    private readonly options: ServiceCredentialOptions,
    private readonly privateKey: CryptoKey,
    private readonly publicKey: JWK,
  ) {
    this.#now = options.now ?? Date.now;
  }

  /** Generates the key. No token is requested yet, because services may start in any order. */
  static async create(options: ServiceCredentialOptions): Promise<ServiceCredential> {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    return new ServiceCredential(options, privateKey, await exportJWK(publicKey));
  }

  /** Renews the token until `stop`. Resolves after the first attempt, successful or not. */
  async start(): Promise<void> {
    await this.#renew();
  }

  stop(): void {
    clearTimeout(this.#renewal);
  }

  /**
   * Creates the metadata for calls to `callee`, made as the service itself or on behalf of a user. A context is valid
   * for only one of the callee's methods, so whoever sees it cannot use it for anything else.
   */
  metadata(callee: string, subject?: UserSubject): MetadataFor {
    return (method) => {
      const key = `${callee} ${method} ${subject ? keyOf(subject) : ''}`;
      const cached = this.#metadata.get(key);
      const isCurrent = cached && cached.token === this.#current?.token;
      if (isCurrent && cached.reuseUntil > this.#now()) return cached.metadata;
      return this.#sign(key, { callee, method, subject });
    };
  }

  /**
   * Call this when a peer has refused the token, because it may have been revoked or its key retired. Requests a new
   * token, at most once a second; resolves once no request is in progress.
   */
  async onRefused(): Promise<void> {
    const isDue = this.#now() - this.#requestedAtMs >= retryMs;
    await (isDue ? this.#renew() : this.#renewing);
  }

  /** Returns the token; requests it first if identity was down when this process started. */
  async #token(): Promise<string> {
    if (!this.#current) await this.#renew();
    if (this.#current) return this.#current.token;
    throw new AppError('UNAVAILABLE', 'The service is temporarily unavailable; try again');
  }

  /** Concurrent calls share one request. */
  #renew(): Promise<void> {
    clearTimeout(this.#renewal);
    this.#renewing ??= this.#requestToken().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #requestToken(): Promise<void> {
    let nextMs = retryMs;
    this.#requestedAtMs = this.#now();
    try {
      this.#current = await this.options.requestToken(this.publicKey);
      nextMs = Math.max((this.#current.expiresAt.getTime() - this.#now()) / 2, retryMs);
    } catch (error) {
      this.options.onFailure(error);
    }
    this.#renewal = setTimeout(() => void this.#renew(), nextMs);
    this.#renewal.unref();
  }

  async #sign(key: string, { callee, method, subject }: ContextSpec): Promise<CallMetadata> {
    const token = this.#current?.token ?? (await this.#token());
    const issuedAt = Math.floor(this.#now() / 1000);
    const { service } = this.options;
    const payload = subject ? subjectPayload(subject) : { sub: service };
    const context = await new SignJWT({ ...payload, method })
      .setProtectedHeader({ alg: 'EdDSA', typ: tokenTypes.context })
      .setIssuer(service)
      .setAudience(callee)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + contextSeconds)
      .sign(this.privateKey);
    const metadata = Object.freeze({ authorization: `Bearer ${token}`, [contextKey]: context });
    this.#metadata.set(key, { token, metadata, reuseUntil: this.#now() + reuseContextMs });
    return metadata;
  }
}

interface ContextSpec {
  readonly callee: string;
  readonly method: string;
  readonly subject: UserSubject | undefined;
}

function keyOf(subject: UserSubject): string {
  const { userId, agentId = '', parentUserId = '', hops = '' } = subject;
  const { trust = '', carriesPrivate = false } = subject;
  return `${userId} ${agentId} ${parentUserId} ${hops} ${trust} ${carriesPrivate}`;
}
