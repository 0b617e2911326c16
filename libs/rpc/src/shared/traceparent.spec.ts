import { describe, expect, it } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { newTraceparent, readTraceparent, traceIdOf } from './traceparent';

function metadata(traceparent: string): Metadata {
  const sent = new Metadata();
  sent.set('traceparent', traceparent);
  return sent;
}

describe('readTraceparent', () => {
  it('returns the trace that a caller sent', () => {
    const sent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(readTraceparent(metadata(sent))).toBe(sent);
    expect(traceIdOf(sent)).toBe('0af7651916cd43dd8448eb211c80319c');
  });

  it.each([
    '',
    'nonsense',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
  ])('ignores the invalid trace %p', (sent) => {
    expect(readTraceparent(metadata(sent))).toBeUndefined();
  });
});

describe('newTraceparent', () => {
  it('starts a trace that is not sampled', () => {
    const [first, second] = [newTraceparent(), newTraceparent()];
    expect(readTraceparent(metadata(first))).toBe(first);
    expect(first).toMatch(/-00$/);
    expect(traceIdOf(first)).not.toBe(traceIdOf(second));
  });
});
