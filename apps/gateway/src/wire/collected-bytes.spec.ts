import { expect, it } from '@jest/globals';
import { CollectedBytes } from './collected-bytes';

it('CollectedBytes keeps a single piece without copying it', () => {
  const piece = Buffer.from('whole');
  const collected = new CollectedBytes();
  collected.push(piece);
  expect(collected.bytes.buffer).toBe(piece.buffer);
});

it('CollectedBytes stores many small pieces in one buffer of at most twice their size', () => {
  const collected = new CollectedBytes();
  for (let count = 0; count < 10_000; count += 1) collected.push(Buffer.from([count % 256]));
  expect(collected.size).toBe(10_000);
  expect(collected.bytes.every((byte, index) => byte === index % 256)).toBe(true);
  expect(collected.bytes.buffer.byteLength).toBeLessThanOrEqual(20_000);
});
