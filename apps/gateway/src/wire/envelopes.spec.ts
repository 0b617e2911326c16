import { describe, expect, it } from '@jest/globals';
import { EnvelopeSplitter, frame } from './envelopes';

const messages = ['', 'a', 'x'.repeat(300), 'last'].map((text) => Buffer.from(text));
const bytes = Buffer.concat(messages.map((data, flags) => frame(flags, data)));

describe('EnvelopeSplitter', () => {
  it.each([1, 2, 4, 5, 6, 7, 100, bytes.length])(
    'finds every message when the bytes arrive in pieces of size %i',
    (size) => {
      const splitter = new EnvelopeSplitter(300);
      const received = [];
      for (let start = 0; start < bytes.length; start += size)
        received.push(...splitter.push(bytes.subarray(start, start + size)));
      splitter.end();
      expect(received).toEqual(messages.map((data, flags) => ({ flags, data })));
    },
  );

  it('refuses a message that is too large as soon as its length arrives', () => {
    const splitter = new EnvelopeSplitter(299);
    const head = frame(0, messages[2]!).subarray(0, 5);
    expect(splitter.push(head.subarray(0, 4))).toEqual([]);
    expect(() => splitter.push(head.subarray(4))).toThrow('message size 300 is larger');
  });

  it.each([1, 5, 6])('refuses, as incomplete, a message that breaks off after byte %i', (size) => {
    const splitter = new EnvelopeSplitter(300);
    expect(splitter.push(frame(0, messages[2]!).subarray(0, size))).toEqual([]);
    expect(() => splitter.end()).toThrow('incomplete envelope');
  });
});
