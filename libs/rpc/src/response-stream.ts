import type { Writable } from 'node:stream';

/**
 * Sends every element, no faster than the reader takes them, until the source ends or the call does.
 * The source's `finally` blocks run in either case.
 */
export async function writeAll(
  stream: Writable,
  source: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for await (const element of source) {
    if (signal.aborted) return;
    if (!stream.write(element)) await writable(stream, signal);
  }
}

async function writable(stream: Writable, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    stream.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}
