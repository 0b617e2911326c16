import { Code, ConnectError } from '@connectrpc/connect';
import { CollectedBytes } from './collected-bytes';

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
 * Splits arriving bytes into messages. Throws as soon as the length of a message exceeds the limit, so that a
 * message that is too large takes no memory.
 */
export class EnvelopeSplitter {
  #pending = new CollectedBytes();

  constructor(private readonly maxBytes: number) {}

  /** Returns the messages that these bytes complete. */
  push(bytes: Buffer): Envelope[] {
    this.#pending.push(bytes);
    const { bytes: arrived } = this.#pending;
    const complete: Envelope[] = [];
    let start = 0;
    for (;;) {
      const end = this.#endOf(arrived, start);
      if (end === undefined || end > arrived.length) break;
      complete.push({ flags: arrived[start] ?? 0, data: arrived.subarray(start + headBytes, end) });
      start = end;
    }
    // The rest is not moved to the start of the buffer, because the messages found above are parts of that buffer.
    if (start > 0) this.#pending = new CollectedBytes(arrived.subarray(start));
    return complete;
  }

  /** Throws if a message is incomplete. */
  end(): void {
    if (this.#pending.size > 0)
      throw new ConnectError('protocol error: incomplete envelope', Code.InvalidArgument);
  }

  /** Returns where the message that begins at `start` ends; undefined until its head has arrived. */
  #endOf(arrived: Buffer, start: number): number | undefined {
    if (arrived.length - start < headBytes) return undefined;
    const length = arrived.readUInt32BE(start + 1);
    if (length > this.maxBytes) throw tooLarge(length, this.maxBytes);
    return start + headBytes + length;
  }
}

export function tooLarge(bytes: number, maxBytes: number): ConnectError {
  const message = `message size ${bytes} is larger than configured readMaxBytes ${maxBytes}`;
  return new ConnectError(message, Code.ResourceExhausted);
}
