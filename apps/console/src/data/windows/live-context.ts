/** What a stream receives: a signal that ends it, and a way to report that it is connected. */
export interface LiveContext {
  readonly signal: AbortSignal;
  /** Pass this to the streams of the client. */
  readonly onInterrupted: () => void;
  /** Call this for every item that arrives: it shows that the stream is connected. */
  readonly onReceived: () => void;
}

/** How long a hidden page keeps its streams open. Browsers allow few connections, but people often return at once. */
export const keepHiddenMs = 10_000;
