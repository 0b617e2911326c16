/**
 * Joins bytes as they arrive. The memory used is proportional to the number of bytes, even if a client sends them in
 * many small pieces. A single piece is not copied.
 */
export class CollectedBytes {
  #buffer: Buffer;
  #size: number;

  constructor(first: Buffer = Buffer.alloc(0)) {
    this.#buffer = first;
    this.#size = first.length;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  push(more: Buffer): void {
    if (this.#size === 0) {
      this.#buffer = more;
    } else {
      this.#grow(this.#size + more.length);
      this.#buffer.set(more, this.#size);
    }
    this.#size += more.length;
  }

  #grow(needed: number): void {
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#size));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}
