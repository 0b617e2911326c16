import type { Writable } from 'node:stream';
import { onAbort } from '@daycare/async';

/** The responses of a streaming call. */
export class ResponseStream {
  #lastWritten: Promise<void> = Promise.resolve();

  constructor(
    private readonly stream: Writable,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Sends every element, no faster than the reader takes them, until the source or the call ends. The
   * source's `finally` blocks run in either case.
   */
  async writeAll(source: AsyncIterable<unknown>): Promise<void> {
    for await (const element of source) {
      if (this.signal.aborted) return;
      if (!this.#write(element)) await this.#drained();
    }
  }

  /** Resolves when everything written has been sent, or when the call is over. */
  async flushed(): Promise<void> {
    await this.#untilOver((done) => {
      void this.#lastWritten.then(done);
      return () => undefined;
    });
  }

  #write(element: unknown): boolean {
    let canWriteMore = true;
    this.#lastWritten = new Promise((resolve) => {
      canWriteMore = this.stream.write(element, () => resolve());
    });
    return canWriteMore;
  }

  async #drained(): Promise<void> {
    await this.#untilOver((done) => {
      this.stream.once('drain', done);
      return () => this.stream.off('drain', done);
    });
  }

  /** Resolves when `wait` calls `done` or the call ends; `wait` returns a function that stops waiting. */
  async #untilOver(wait: (done: () => void) => () => unknown): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stopWaiting();
        stopListening();
        resolve();
      };
      const stopWaiting = wait(done);
      const stopListening = onAbort(this.signal, done);
    });
  }
}
