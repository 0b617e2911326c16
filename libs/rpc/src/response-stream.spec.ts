import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ResponseStream } from './response-stream';

/** A reader that takes an element when it is told to. */
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

function start(isPatient: boolean) {
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
        if (isPatient) await responses.flushed();
      }
    } finally {
      isEnded = true;
    }
  }
  const written = responses.writeAll(source());
  return { reader, over, made, written, isEnded: () => isEnded };
}

describe('answers for a slow reader', () => {
  it('are made ahead of it up to the room that the stream has', async () => {
    const { reader, made } = start(false);
    await nextTurn();
    expect(made).toHaveLength(reader.stream.writableHighWaterMark);
    reader.take();
    await nextTurn();
    expect(made).toHaveLength(reader.stream.writableHighWaterMark);
  });

  it('are made one by one when the source waits for the one before to be gone', async () => {
    const { reader, made } = start(true);
    await nextTurn();
    expect(made).toEqual([0]);
    reader.take();
    await nextTurn();
    expect(made).toEqual([0, 1]);
  });

  it.each([true, false])('end with the call, patient or not (%p)', async (isPatient) => {
    const { over, written, isEnded } = start(isPatient);
    await nextTurn();
    over.abort();
    await written;
    expect(isEnded()).toBe(true);
  });
});
