/** Remembers up to `capacity` entries; when full, the one used longest ago makes room. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.capacity) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as K);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
