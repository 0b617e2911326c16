/** What a stream is given: a signal that ends it, and functions with which it reports the state of its connection. */
export interface LiveContext {
  readonly signal: AbortSignal;
  /** Pass this to the client's streams, which call it when their connection is lost. */
  readonly onInterrupted: () => void;
  /** Call this for every item that arrives, because each one shows that the stream is connected. */
  readonly onReceived: () => void;
}

/** How long a hidden page keeps its streams open. Browsers allow few connections, but people often return quickly. */
export const keepHiddenMs = 10_000;
