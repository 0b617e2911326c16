import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ResponseStream } from './response-stream';

/** A reader that takes one element per call to `take`. */
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
  const call = new AbortController();
  const responses = new ResponseStream(reader.stream, call.signal);
  const produced: number[] = [];
  let isEnded = false;
  async function* source() {
    try {
      for (let index = 0; index < 100; index += 1) {
        produced.push(index);
        yield index;
        if (awaitsFlush) await responses.flushed();
      }
    } finally {
      isEnded = true;
    }
  }
  const written = responses.writeAll(source());
  return { reader, call, produced, written, isEnded: () => isEnded };
}

describe('ResponseStream', () => {
  it('produces elements ahead of a slow reader up to the high-water mark', async () => {
    const { reader, produced } = start(false);
    await nextTurn();
    expect(produced).toHaveLength(reader.stream.writableHighWaterMark);
    reader.take();
    await nextTurn();
    expect(produced).toHaveLength(reader.stream.writableHighWaterMark);
  });

  it('produces elements one by one when the source awaits flushed()', async () => {
    const { reader, produced } = start(true);
    await nextTurn();
    expect(produced).toEqual([0]);
    reader.take();
    await nextTurn();
    expect(produced).toEqual([0, 1]);
  });

  it.each([
    ['awaits flushed()', true],
    ['does not await flushed()', false],
  ] as const)('ends a source that %s when the call ends', async (_what, awaitsFlush) => {
    const { call, written, isEnded } = start(awaitsFlush);
    await nextTurn();
    call.abort();
    await written;
    expect(isEnded()).toBe(true);
  });
});
