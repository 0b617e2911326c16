/** What a stream gets: its end, and how to report its connection. */
export interface LiveContext {
  readonly signal: AbortSignal;
  /** To be passed to the streams of the client. */
  readonly onInterrupted: () => void;
  /** To be called with every item: the stream is connected. */
  readonly received: () => void;
}

/** How long a hidden page keeps its streams: browsers allow few connections, and a glance elsewhere is short. */
export const keepHiddenMs = 10_000;
