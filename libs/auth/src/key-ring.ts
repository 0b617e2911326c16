import { setTimeout as delay } from 'node:timers/promises';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { Revocations, type Revocation } from './revocations';

/** An update of the keys and revocations that identity publishes. */
export interface KeyUpdate {
  /** The keys of all tokens that have not expired. */
  readonly jwks: JSONWebKeySet;
  /** The longest lifetime of a token; undefined when it is not known. */
  readonly maxTokenMs: number | undefined;
  /**
   * The secrets in use; tokens that were requested with any other secret are invalid. Undefined: all secrets are
   * accepted.
   */
  readonly credentialIds: readonly string[] | undefined;
  /** The revocations since the requested position. */
  readonly revoked: readonly Revocation[];
  /** Whether `revoked` is the complete list, which replaces everything known before. */
  readonly isRestarted: boolean;
  /** The position from which to request the next update. */
  readonly position: string;
  /** Why the update ends before the end of the list; undefined for a complete update. */
  readonly failure?: unknown;
}

export interface KeyRingOptions {
  /** Fetches what has changed since a position; the empty position means from the beginning. */
  readonly fetch: (position: string) => Promise<KeyUpdate>;
  readonly onFailure: (error: unknown) => void;
  /** Called with every update and the time since the last complete update was fetched. */
  readonly onUpdate?: (update: KeyUpdate, silenceMs: number) => void;
  /**
   * How often to fetch, 2 s by default. While identity can be reached, a revoked token is accepted for at most about
   * this long plus a second, because identity may answer with what it read a second ago.
   */
  readonly refreshMs?: number;
  /** The minimum time between two extra fetches for unknown keys. */
  readonly unknownKeyIntervalMs?: number;
  readonly now?: () => number;
}

type KeyResolver = ReturnType<typeof createLocalJWKSet>;

/** How long to wait between attempts until the first fetch succeeds; identity may be starting, too. */
const firstRetryMs = { shortest: 100, longest: 500 };

/** The facts that decide whether a token is still valid, besides its signature and its expiry. */
export interface ValidityFacts {
  readonly keyId: string | undefined;
  readonly credentialId: string;
  readonly issuedAt: number;
  /** The ids by which the token can be revoked. */
  readonly revocableIds: readonly string[];
}

/**
 * The keys and revocations that identity publishes, refreshed in the background, so that a call waits for identity only
 * if its token names an unknown key. While identity is down, the last known ones remain in use.
 */
export class KeyRing {
  #resolver: KeyResolver = createLocalJWKSet({ keys: [] });
  /**
   * The resolver's keys as JSON. The resolver is kept until they change, because a new one would import all keys
   * again.
   */
  #keysText = '';
  #keyIds: ReadonlySet<string | undefined> = new Set();
  #credentialIds: ReadonlySet<string> | undefined;
  readonly #revocations = new Revocations();
  readonly #now: () => number;
  #maxTokenMs: number | undefined;
  #position = '';
  #version = 0;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;
  #lastExtraFetch = 0;
  #freshAt = 0;
  #isStopped = false;
  #onFresh = (): void => undefined;
  /** Resolves once everything has been fetched for the first time. */
  readonly whenFresh = new Promise<void>((resolve) => (this.#onFresh = resolve));

  constructor(private readonly options: KeyRingOptions) {
    this.#now = options.now ?? Date.now;
  }

  /** Fetches once, then periodically, and more often until the first complete update. */
  async start(): Promise<void> {
    await this.refresh();
    this.#scheduleRefresh();
    void this.#retryUntilFresh();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** All services fetch at the same wall-clock times, so that identity reads its database once for all of them. */
  #scheduleRefresh(): void {
    const { refreshMs = 2_000 } = this.options;
    // A timer may fire a little early; the next one must not be set for the same time again.
    const slackMs = refreshMs / 40;
    const waitMs = refreshMs + slackMs - ((this.#now() + slackMs) % refreshMs);
    this.#timer = setTimeout(() => {
      void this.refresh();
      this.#scheduleRefresh();
    }, waitMs).unref();
  }

  /** When the last fetch of a complete update began, in epoch milliseconds; 0 before the first. */
  get freshAt(): number {
    return this.#freshAt;
  }

  /** Changes whenever a token that was valid may have become invalid without expiring. */
  get version(): number {
    return this.#version;
  }

  get resolver(): KeyResolver {
    return this.#resolver;
  }

  get maxTokenMs(): number | undefined {
    return this.#maxTokenMs;
  }

  isRevoked(id: string, issuedAt = 0): boolean {
    return this.#revocations.has(id, issuedAt);
  }

  knows(keyId: string | undefined): boolean {
    return this.#keyIds.has(keyId);
  }

  /** Reports whether a token is still valid: its key and its secret are in use, and none of its ids is revoked. */
  accepts({ keyId, credentialId, issuedAt, revocableIds }: ValidityFacts): boolean {
    if (!this.knows(keyId)) return false;
    if (this.#credentialIds && !this.#credentialIds.has(credentialId)) return false;
    return !revocableIds.some((id) => this.#revocations.has(id, issuedAt));
  }

  /** Fetches because a token names an unknown key. Rate-limited, because anyone can forge such a token. */
  async refreshForUnknownKey(): Promise<void> {
    const intervalMs = this.options.unknownKeyIntervalMs ?? 500;
    if (this.#now() - this.#lastExtraFetch < intervalMs && !this.#refreshing) return;
    this.#lastExtraFetch = this.#now();
    await this.refresh();
  }

  /** Concurrent calls share one fetch. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #retryUntilFresh(): Promise<void> {
    for (
      let waitMs = firstRetryMs.shortest;
      ;
      waitMs = Math.min(2 * waitMs, firstRetryMs.longest)
    ) {
      await delay(waitMs, undefined, { ref: false });
      if (this.#freshAt > 0 || this.#isStopped) return;
      await this.refresh();
    }
  }

  async #fetch(): Promise<void> {
    const startedAt = this.#now();
    try {
      const update = await this.options.fetch(this.#position);
      const silenceMs = startedAt - this.#freshAt;
      this.#apply(update);
      if (update.failure === undefined) {
        this.#freshAt = startedAt;
        this.#onFresh();
      }
      this.options.onUpdate?.(update, silenceMs);
      if (update.failure !== undefined) this.options.onFailure(update.failure);
    } catch (error) {
      this.options.onFailure(error);
    }
  }

  #apply(update: KeyUpdate): void {
    const { jwks, revoked, isRestarted, credentialIds } = update;
    this.#replaceKeys(jwks);
    this.#keyIds = replaceSet(this.#keyIds, new Set(jwks.keys.map(({ kid }) => kid)), () => {
      this.#version += 1;
    });
    this.#credentialIds =
      credentialIds &&
      replaceSet(this.#credentialIds ?? new Set(), new Set(credentialIds), () => {
        this.#version += 1;
      });
    if (isRestarted) this.#revocations.clear();
    if (isRestarted || revoked.length > 0) this.#version += 1;
    this.#revocations.add(revoked, this.#now());
    this.#maxTokenMs = update.maxTokenMs;
    this.#position = update.position;
  }

  #replaceKeys(jwks: JSONWebKeySet): void {
    const text = JSON.stringify(jwks);
    if (text === this.#keysText) return;
    this.#keysText = text;
    this.#resolver = createLocalJWKSet(jwks);
  }
}

/** Returns `after`, which replaces `before`; calls `onChange` if they differ. */
function replaceSet<T>(before: ReadonlySet<T>, after: ReadonlySet<T>, onChange: () => void) {
  const isSame = before.size === after.size && [...after].every((item) => before.has(item));
  if (!isSame) onChange();
  return after;
}
