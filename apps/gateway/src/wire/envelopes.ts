import { Code, ConnectError } from '@connectrpc/connect';

/** A message as gRPC and gRPC-Web frame it. */
export interface Envelope {
  readonly flags: number;
  readonly data: Buffer;
}

/** One byte of flags and four of length. */
const headBytes = 5;

/** Frames a message. */
export function frame(flags: number, data: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(headBytes + data.length);
  framed[0] = flags;
  framed.writeUInt32BE(data.length, 1);
  framed.set(data, headBytes);
  return framed;
}

/**
 * Splits what arrives into messages. Throws as soon as one is announced that is larger than allowed, so that it
 * never takes memory.
 */
export class EnvelopeSplitter {
  #pending: Buffer[] = [];
  #size = 0;
  /** Of the message that is arriving, once its length is known. */
  #expected: number | undefined;

  constructor(private readonly maxBytes: number) {}

  /** The messages that are complete with these bytes. */
  push(bytes: Buffer): Envelope[] {
    this.#pending.push(bytes);
    this.#size += bytes.length;
    const complete: Envelope[] = [];
    while (this.#size >= this.#expectedBytes()) complete.push(this.#shift(this.#expectedBytes()));
    return complete;
  }

  /** Throws if a message is incomplete. */
  end(): void {
    if (this.#size > 0)
      throw new ConnectError('protocol error: incomplete envelope', Code.InvalidArgument);
  }

  #expectedBytes(): number {
    if (this.#expected !== undefined) return this.#expected;
    if (this.#size < headBytes) return headBytes;
    const length = this.#joined().readUInt32BE(1);
    if (length > this.maxBytes) throw tooLarge(length, this.maxBytes);
    this.#expected = headBytes + length;
    return this.#expected;
  }

  #shift(bytes: number): Envelope {
    const joined = this.#joined();
    const rest = joined.subarray(bytes);
    this.#pending = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#expected = undefined;
    return { flags: joined[0] ?? 0, data: joined.subarray(headBytes, bytes) };
  }

  /** Called for the head and for the whole of a message only: a large one arrives in many pieces. */
  #joined(): Buffer {
    const [first] = this.#pending;
    if (this.#pending.length === 1 && first) return first;
    const joined = Buffer.concat(this.#pending);
    this.#pending = [joined];
    return joined;
  }
}

export function tooLarge(bytes: number, maxBytes: number): ConnectError {
  const message = `message size ${bytes} is larger than configured readMaxBytes ${maxBytes}`;
  return new ConnectError(message, Code.ResourceExhausted);
}
