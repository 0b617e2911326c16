import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

/** What identity publishes: the keys of all tokens still alive, and what has been revoked. */
export interface KeySnapshot {
  readonly jwks: JSONWebKeySet;
  /** Ids of tokens and sessions, and `user:<id>` for deleted users. */
  readonly revoked: ReadonlySet<string>;
}

export interface KeyRingOptions {
  readonly fetch: () => Promise<KeySnapshot>;
  readonly onFailure: (error: unknown) => void;
  /** Called with every snapshot. */
  readonly onSnapshot?: (snapshot: KeySnapshot) => void;
  /** How often to fetch; a revoked token may be accepted for twice as long. */
  readonly refreshMs?: number;
  /** The minimum time between two extra fetches for unknown keys. */
  readonly unknownKeyIntervalMs?: number;
}

type KeyResolver = ReturnType<typeof createLocalJWKSet>;

const empty: KeySnapshot = { jwks: { keys: [] }, revoked: new Set() };

/**
 * The keys and revocations of the instance, refreshed in the background so that no call waits for
 * identity. While identity is down, the last snapshot remains in use.
 */
export class KeyRing {
  #snapshot = empty;
  #resolver: KeyResolver = createLocalJWKSet(empty.jwks);
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;
  #lastExtraFetch = 0;
  #freshAt = 0;

  constructor(private readonly options: KeyRingOptions) {}

  /** Fetches once, then periodically. A failure of the first fetch is retried like any other. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), this.options.refreshMs ?? 2_000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** When the last successful fetch began, in epoch milliseconds. */
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

  /** Fetches because of an unknown key, but rate-limited, as any forged token has one. */
  async refreshForUnknownKey(): Promise<void> {
    const intervalMs = this.options.unknownKeyIntervalMs ?? 500;
    if (Date.now() - this.#lastExtraFetch < intervalMs && !this.#refreshing) return;
    this.#lastExtraFetch = Date.now();
    await this.refresh();
  }

  /** Concurrent calls share one fetch. */
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
