import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { sendAhead } from './send-ahead';

/** Creates a stream that takes elements but sends each only on demand. */
function heldStream() {
  const taken: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 1_000,
    write: (element: number, _encoding, done) => {
      taken.push(element);
      ends.push(done);
    },
  });
  sendAhead(stream);
  return { stream, taken, ends };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('sendAhead', () => {
  it('passes elements on, in order, while earlier ones are still unsent', async () => {
    const { stream, taken } = heldStream();
    for (let element = 0; element < 10; element += 1) stream.write(element);
    await nextTurn();
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('stops at 64 unsent elements and continues when one of them is sent', async () => {
    const { stream, taken, ends } = heldStream();
    for (let element = 0; element < 100; element += 1) stream.write(element);
    await nextTurn();
    expect(taken).toHaveLength(64);
    ends.shift()?.();
    await nextTurn();
    expect(taken).toHaveLength(65);
  });

  it('fails the stream when an element cannot be sent', async () => {
    const { stream, ends } = heldStream();
    const failed = new Promise<Error>((resolve) => stream.once('error', resolve));
    stream.write(1);
    await nextTurn();
    ends.shift()?.(new Error('gone'));
    expect((await failed).message).toBe('gone');
  });
});
