const prefixBytes = 5;

/** Returns a message as it is sent without compression, with its gRPC prefix. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.byteLength);
  frame[0] = 0;
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, prefixBytes);
  return frame;
}

/** Why a message cannot be accepted. */
export type MessageRefusal =
  | { readonly kind: 'several' }
  | { readonly kind: 'large'; readonly details: string };

/** What a stream of bytes that should be one message turned out to be. */
export type OneMessage =
  | { readonly kind: 'message'; readonly bytes: Buffer }
  | { readonly kind: 'none' | 'compressed' };

/** Collects the bytes of a single message, with the prefix that gRPC puts before it. */
export class MessageCollector {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** The size of the message; undefined until its prefix is complete. */
  #size: number | undefined;

  constructor(private readonly maxBytes: number) {}

  /** Returns why the message cannot be accepted, after which nothing more may be added; undefined if it can be. */
  add(chunk: Buffer): MessageRefusal | undefined {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#size === undefined && this.#length >= prefixBytes)
      this.#size = this.#whole().readUInt32BE(1);
    if (this.#size === undefined) return undefined;
    if (this.#size > this.maxBytes) {
      const details = `Received message larger than max (${this.#size} vs ${this.maxBytes})`;
      return { kind: 'large', details };
    }
    return this.#length > prefixBytes + this.#size ? { kind: 'several' } : undefined;
  }

  /** Returns what was received. Must be called after everything has been received and accepted. */
  take(): OneMessage {
    const whole = this.#whole();
    if (this.#size === undefined || whole.length < prefixBytes + this.#size)
      return { kind: 'none' };
    if (whole[0] !== 0) return { kind: 'compressed' };
    return { kind: 'message', bytes: whole.subarray(prefixBytes) };
  }

  #whole(): Buffer {
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
  }
}
