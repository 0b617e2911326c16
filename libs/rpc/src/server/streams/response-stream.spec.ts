import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ResponseStream } from './response-stream';

/** A reader that takes one element per call of `take`. */
class Reader {
  readonly #waiting: (() => void)[] = [];
  readonly stream = new Writable({
    objectMode: true,
    write: (_element, _encoding, taken) => void this.#waiting.push(() => taken()),
  });

  take(): void {
    this.#waiting.shift()?.();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function start(awaitsFlush: boolean) {
  const reader = new Reader();
  const over = new AbortController();
  const responses = new ResponseStream(reader.stream, over.signal);
  const made: number[] = [];
  let isEnded = false;
  async function* source() {
    try {
      for (let index = 0; index < 100; index += 1) {
        made.push(index);
        yield index;
        if (awaitsFlush) await responses.flushed();
      }
    } finally {
      isEnded = true;
    }
  }
  const written = responses.writeAll(source());
  return { reader, over, made, written, isEnded: () => isEnded };
}

describe('ResponseStream', () => {
  it('produces elements ahead of a slow reader up to the high-water mark', async () => {
    const { reader, made } = start(false);
    await nextTurn();
    expect(made).toHaveLength(reader.stream.writableHighWaterMark);
    reader.take();
    await nextTurn();
    expect(made).toHaveLength(reader.stream.writableHighWaterMark);
  });

  it('produces elements one by one when the source awaits flushed()', async () => {
    const { reader, made } = start(true);
    await nextTurn();
    expect(made).toEqual([0]);
    reader.take();
    await nextTurn();
    expect(made).toEqual([0, 1]);
  });

  it.each([true, false])(
    'ends the source with the call, whether it awaits flushed() or not (%p)',
    async (awaitsFlush) => {
      const { over, written, isEnded } = start(awaitsFlush);
      await nextTurn();
      over.abort();
      await written;
      expect(isEnded()).toBe(true);
    },
  );
});
