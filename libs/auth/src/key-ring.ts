import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

/** What identity publishes: keys that may have signed a live token, and what no longer holds. */
export interface KeySnapshot {
  readonly jwks: JSONWebKeySet;
  /** Ids of tokens and sessions, and `user:<id>` for users that are gone. */
  readonly revoked: ReadonlySet<string>;
}

export interface KeyRingOptions {
  readonly fetch: () => Promise<KeySnapshot>;
  readonly onFailure: (error: unknown) => void;
  /** Called with every snapshot. */
  readonly onSnapshot?: (snapshot: KeySnapshot) => void;
  /** How often to ask again; half of how long a revoked token may still be believed. */
  readonly refreshMs?: number;
  /** The least time between two extra look-ups for a key nobody knows. */
  readonly unknownKeyPauseMs?: number;
}

type KeyResolver = ReturnType<typeof createLocalJWKSet>;

const nothing: KeySnapshot = { jwks: { keys: [] }, revoked: new Set() };

/**
 * The keys and revocations of the instance, kept fresh in the background so that no call waits for
 * identity. While identity is away, what was last heard goes on to hold.
 */
export class KeyRing {
  #snapshot = nothing;
  #resolver: KeyResolver = createLocalJWKSet(nothing.jwks);
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;
  #lastExtraLookup = 0;
  #freshAt = 0;

  constructor(private readonly options: KeyRingOptions) {}

  /** Fetches once, then goes on in the background. A first failure is retried like any other. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), this.options.refreshMs ?? 2_000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** When the last fetch that succeeded began, in epoch milliseconds. */
  get freshAt(): number {
    return this.#freshAt;
  }

  isRevoked(id: string): boolean {
    return this.#snapshot.revoked.has(id);
  }

  get resolver(): KeyResolver {
    return this.#resolver;
  }

  knows(keyId: string | undefined): boolean {
    return this.#snapshot.jwks.keys.some(({ kid }) => kid === keyId);
  }

  /** Asks again because of a key that is not known yet, but not for every forged token. */
  async refreshForUnknownKey(): Promise<void> {
    const pauseMs = this.options.unknownKeyPauseMs ?? 500;
    if (Date.now() - this.#lastExtraLookup < pauseMs && !this.#refreshing) return;
    this.#lastExtraLookup = Date.now();
    await this.refresh();
  }

  /** Calls that overlap share one fetch. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #fetch(): Promise<void> {
    const startedAt = Date.now();
    try {
      const snapshot = await this.options.fetch();
      this.#freshAt = startedAt;
      this.#resolver = createLocalJWKSet(snapshot.jwks);
      this.#snapshot = snapshot;
      this.options.onSnapshot?.(snapshot);
    } catch (error) {
      this.options.onFailure(error);
    }
  }
}
