/**
 * Passed to the function that follows a stream: a signal that ends it, and callbacks for the state of its connection.
 */
export interface LiveContext {
  readonly signal: AbortSignal;
  /** Pass this to the client's `watch` method, which calls it when its connection is lost. */
  readonly onInterrupted: () => void;
  /** Call this for every item that arrives, because each one shows that the stream is connected. */
  readonly onReceived: () => void;
}

/**
 * How long a hidden page keeps its streams open. People often return quickly, but without HTTP/2 a browser allows only
 * six connections to an origin.
 */
export const keepHiddenMs = 10_000;
