/** One message of a protocol, as it passes between a client and its server. */
export interface WireFrame {
  /** The message as received. */
  readonly bytes: Buffer;
  /** What is passed on instead of the received bytes. */
  readonly replacement?: Buffer;
  /** Where a test can stop the client, e.g. `insert outbox`. */
  readonly step?: string;
  /** On a message that gets a response: the `answers` value of that response. */
  readonly awaits?: string;
  /** On a response: identifies the message that it answers. */
  readonly answers?: string;
}

/** Takes received bytes and returns the messages they complete. */
export type FrameSplitter = (chunk: Buffer) => WireFrame[];

/** Splits both directions of a connection into messages; each connection gets its own splitters. */
export interface WireProtocol {
  readonly splitClient: () => FrameSplitter;
  readonly splitServer: () => FrameSplitter;
}

/**
 * Makes a splitter from a function that returns the first complete message in the received bytes, or undefined if there
 * is none.
 */
export function splitFrames(takeFirst: (received: Buffer) => WireFrame | undefined): FrameSplitter {
  let received: Buffer = Buffer.alloc(0);
  return (chunk) => {
    received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk;
    const frames: WireFrame[] = [];
    for (let frame = takeFirst(received); frame; frame = takeFirst(received)) {
      frames.push(frame);
      received = received.subarray(frame.bytes.length);
    }
    return frames;
  };
}
