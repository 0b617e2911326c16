const prefixBytes = 5;

/** A message with its gRPC prefix, as it is sent: not compressed. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.byteLength);
  frame[0] = 0;
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, prefixBytes);
  return frame;
}

/** What a stream of bytes that should be one message turned out to be. */
export type OneMessage =
  | { readonly kind: 'message'; readonly bytes: Buffer }
  | { readonly kind: 'none' | 'several' | 'compressed' };

/** Collects the bytes of a single message, with the prefix that gRPC puts before it. */
export class MessageCollector {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** Of the message; undefined until its prefix is complete. */
  #size: number | undefined;

  constructor(private readonly maxBytes: number) {}

  /** Returns why the message cannot be accepted; then nothing more should be added. */
  add(chunk: Buffer): string | undefined {
    // Whatever follows the message is counted, but not kept.
    if (!this.#isOver()) this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#size === undefined && this.#length >= prefixBytes)
      this.#size = this.#whole().readUInt32BE(1);
    if (this.#size === undefined || this.#size <= this.maxBytes) return undefined;
    return `Received message larger than max (${this.#size} vs ${this.maxBytes})`;
  }

  /** To be called when everything was received. */
  take(): OneMessage {
    if (this.#isOver()) return { kind: 'several' };
    const whole = this.#whole();
    if (this.#size === undefined || whole.length < prefixBytes + this.#size)
      return { kind: 'none' };
    if (whole[0] !== 0) return { kind: 'compressed' };
    return { kind: 'message', bytes: whole.subarray(prefixBytes) };
  }

  #isOver(): boolean {
    return this.#size !== undefined && this.#length > prefixBytes + this.#size;
  }

  #whole(): Buffer {
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
  }
}
