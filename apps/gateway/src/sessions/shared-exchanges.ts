import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';

export interface SharedExchangesOptions<T> {
  /** Exchanges a secret; `address` is the address of the first caller that presented it. */
  readonly exchange: (secret: string, address: string) => Promise<T>;
  /**
   * Returns for how many milliseconds others who present the same secret get the same result. If the number is not
   * positive, the result is not kept.
   */
  readonly keepMs: (result: T) => number;
}

/**
 * Exchanges secrets for tokens: concurrent exchanges of one secret are merged, and others who present it shortly
 * afterwards get the same result. Secrets are remembered as hashes; failures are not remembered.
 */
export class SharedExchanges<T extends object> {
  readonly #results = new LRUCache<string, T>(limitEntries(10_000));
  readonly #running = new Map<string, Promise<T>>();

  constructor(private readonly options: SharedExchangesOptions<T>) {}

  async get(secret: string, address: string): Promise<T> {
    const key = createHash('sha256').update(secret).digest('base64url');
    const known = this.#results.get(key);
    if (known) return known;
    const running = this.#running.get(key) ?? this.#start(key, secret, address);
    return running;
  }

  #start(key: string, secret: string, address: string): Promise<T> {
    const running = this.options
      .exchange(secret, address)
      .then((result) => {
        const ttl = this.options.keepMs(result);
        if (ttl > 0) this.#results.set(key, result, { ttl });
        return result;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }
}
