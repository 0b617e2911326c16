/** One message of a protocol, as it passes between a client and its server. */
export interface WireFrame {
  /** What has come. */
  readonly bytes: Buffer;
  /** What to pass on in its place. */
  readonly replacement?: Buffer;
  /** Set when a test may want to stop the client here, e.g. `insert outbox`. */
  readonly step?: string;
  /** What the answer to this message will carry as `answers`. */
  readonly awaits?: string;
  readonly answers?: string;
}

/** Takes what has come and gives the messages that are complete with it. */
export type FrameSplitter = (chunk: Buffer) => WireFrame[];

/** How to read both directions of a connection; each connection gets splitters of its own. */
export interface WireProtocol {
  readonly splitClient: () => FrameSplitter;
  readonly splitServer: () => FrameSplitter;
}

/**
 * Makes a splitter of a function that gives the first message of what has come so far, or undefined
 * while there is more to come.
 */
export function splitFrames(takeFirst: (come: Buffer) => WireFrame | undefined): FrameSplitter {
  let come: Buffer = Buffer.alloc(0);
  return (chunk) => {
    come = Buffer.concat([come, chunk]);
    const frames: WireFrame[] = [];
    for (let frame = takeFirst(come); frame; frame = takeFirst(come)) {
      frames.push(frame);
      come = come.subarray(frame.bytes.length);
    }
    return frames;
  };
}
