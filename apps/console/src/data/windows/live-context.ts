/** What a stream receives: a signal that ends it, and a way to report that it is connected. */
export interface LiveContext {
  readonly signal: AbortSignal;
  /** Pass it to the streams of the client. */
  readonly onInterrupted: () => void;
  /** Call it for every item that arrives: the stream is connected. */
  readonly received: () => void;
}

/** How long a hidden page keeps its streams open. Browsers allow few connections, but people often return at once. */
export const keepHiddenMs = 10_000;
