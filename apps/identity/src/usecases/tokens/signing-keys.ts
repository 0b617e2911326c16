import { createId } from '@daycare/api/create-id';
import { exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { importSigningKey, type SigningKey } from '@daycare/auth';
import {
  longestTokenLifetimeMs,
  planKeys,
  type KeyPlan,
  type KeyPolicy,
  type KeyTimes,
} from '../../domain/key-schedule';
import type { SigningKeyStore, StoredKey } from '../../store/signing-key-store';

/**
 * How old the keys may be when they are used, and so, while the database responds, how long a key that an operator
 * removes may still be used.
 */
const maxAgeMs = 1_000;
/** The longest time between two checks of whether a key is due; keys that are used are read more often. */
const maxPollMs = 5_000;

export interface SigningKeysDeps {
  readonly keys: SigningKeyStore;
  readonly policy: KeyPolicy;
  /** The database's time, because with its own clock a replica could remove keys that others still need. */
  readonly now: () => Date;
  /** Brings `now` up to date. */
  readonly syncClock?: () => Promise<void>;
  /** Must be monotonic. */
  readonly nowMs?: () => number;
  readonly onFailure: (error: unknown) => void;
}

/**
 * The signing keys as this replica last read them. Before they are used, they are read again if the last read was more
 * than a second ago. Every replica polls often enough to know a key before that key signs, unless an operator removes
 * all older keys. Every replica tries to create the next key when it is due; only one of them succeeds.
 */
export class SigningKeys {
  #stored: readonly StoredKey[] = [];
  readonly #imported = new Map<string, SigningKey>();
  #timer: NodeJS.Timeout | undefined;
  #readAtMs = -Infinity;
  #refreshing: Promise<void> | undefined;

  constructor(private readonly deps: SigningKeysDeps) {}

  /** Starts polling. Throws when the first poll fails; later failures are reported and retried. */
  async start(): Promise<void> {
    await this.poll();
    const everyMs = Math.max(Math.min(this.deps.policy.announceMs / 4, maxPollMs), 100);
    this.#timer = setInterval(() => {
      this.poll().catch(this.deps.onFailure);
    }, everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Reads the keys again unless they were read within the last second. Concurrent calls share one read. A failure is
   * reported, and the last known keys remain in use.
   */
  async refresh(): Promise<void> {
    if (this.#nowMs() - this.#readAtMs < maxAgeMs) return;
    this.#refreshing ??= this.#load()
      .catch(this.deps.onFailure)
      .finally(() => {
        this.#refreshing = undefined;
      });
    await this.#refreshing;
  }

  /** Loads the keys, creates the one that is due and removes those whose tokens have all expired. */
  async poll(): Promise<void> {
    const { keys, policy, now, syncClock } = this.deps;
    await syncClock?.();
    await this.#load();
    const { due, retired } = planKeys(this.#stored, policy, now());
    if (due) {
      await keys.insert(await this.#createKey(due));
      await this.#load();
    }
    if (retired.length > 0) await keys.remove(retired.map(({ id }) => id));
  }

  /**
   * Creates a key for an operator, once per request. The key signs after all verifiers have had time to load it. With
   * `removeOthers`, all older keys are removed and the new one signs immediately; tokens signed with the older keys are
   * refused as soon as verifiers poll.
   */
  async rotate(requestId: string, removeOthers: boolean): Promise<KeyTimes> {
    const { keys, policy, now } = this.deps;
    for (;;) {
      await this.#load();
      const created = this.#stored.find((key) => key.requestId === requestId);
      if (created) {
        const older = this.#stored.filter(({ generation }) => generation < created.generation);
        if (removeOthers) await keys.remove(older.map(({ id }) => id));
        await this.#load();
        return created;
      }
      const generation = (this.#stored.at(-1)?.generation ?? 0) + 1;
      const waitMs = removeOthers ? 0 : policy.announceMs;
      const activeFrom = new Date(now().getTime() + waitMs);
      await keys.insert({ ...(await this.#createKey({ generation, activeFrom })), requestId });
    }
  }

  /** Returns the longest lifetime of any token, issued by any replica, that may still be valid. */
  async longestTokenLifetimeMs(): Promise<number> {
    await this.#load();
    return this.publishedMaxTokenMs;
  }

  /** Like `longestTokenLifetimeMs`, but from the keys as last read. */
  get publishedMaxTokenMs(): number {
    return longestTokenLifetimeMs(this.#stored, this.deps.policy);
  }

  async signingKey(): Promise<SigningKey> {
    await this.refresh();
    const { signing } = this.#plan();
    if (!signing) throw new Error('no signing key is available');
    const cached = this.#imported.get(signing.id);
    if (cached) return cached;
    const imported = await importSigningKey(signing.id, signing.privateJwk);
    this.#imported.clear();
    this.#imported.set(signing.id, imported);
    return imported;
  }

  /** Returns the public keys for all valid tokens, including the key that signs next, as last read. */
  publicKeys(): JSONWebKeySet {
    return { keys: this.#plan().published.map(({ publicJwk }) => publicJwk) };
  }

  /**
   * Reads the keys. If the lifetime stored with a key is shorter than this replica's token lifetime, raises it first.
   */
  async #load(): Promise<void> {
    const { keys, policy } = this.deps;
    const { tokenLifetimeMs } = policy;
    // The age is measured from before the query, which may miss changes that are made after it begins.
    const startedAtMs = this.#nowMs();
    const stored = await keys.list();
    const raised = stored.filter(({ maxTokenMs }) => maxTokenMs < tokenLifetimeMs);
    if (raised.length > 0) {
      await keys.raiseMaxTokenMs(
        raised.map(({ id }) => id),
        tokenLifetimeMs,
      );
    }
    this.#stored = stored.map((key) => ({
      ...key,
      maxTokenMs: Math.max(key.maxTokenMs, tokenLifetimeMs),
    }));
    this.#readAtMs = startedAtMs;
  }

  #nowMs(): number {
    return this.deps.nowMs?.() ?? performance.now();
  }

  #createKey(due: NonNullable<KeyPlan<never>['due']>): Promise<StoredKey> {
    const { policy, now } = this.deps;
    return createKey({ ...due, maxTokenMs: policy.tokenLifetimeMs }, now());
  }

  #plan(): KeyPlan<StoredKey> {
    return planKeys(this.#stored, this.deps.policy, this.deps.now());
  }
}

async function createKey(
  due: Pick<KeyTimes, 'generation' | 'activeFrom' | 'maxTokenMs'>,
  createdAt: Date,
): Promise<StoredKey> {
  const id = createId();
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const [publicJwk, privateJwk] = await Promise.all([
    exportJWK(pair.publicKey),
    exportJWK(pair.privateKey),
  ]);
  const header = { kid: id, alg: 'EdDSA', use: 'sig' };
  return { id, ...due, createdAt, publicJwk: { ...publicJwk, ...header }, privateJwk };
}
