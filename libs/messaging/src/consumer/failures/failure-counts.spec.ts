import { describe, expect, it } from '@jest/globals';
import { FailureCounts } from './failure-counts';

describe('FailureCounts', () => {
  it('counts all failures of a message and, separately, those that it may have caused, until it is forgotten', () => {
    const counts = new FailureCounts();
    expect(counts.add('a', true)).toEqual({ all: 1, faults: 1 });
    expect(counts.add('a', false)).toEqual({ all: 2, faults: 1 });
    expect(counts.add('b', false)).toEqual({ all: 1, faults: 0 });
    counts.forget('a');
    expect(counts.add('a', true)).toEqual({ all: 1, faults: 1 });
  });

  it('forgets the message that failed longest ago when there are too many messages', () => {
    const counts = new FailureCounts();
    counts.add('first', true);
    for (let n = 0; n < 10_000; n++) counts.add(`m${n}`, true);
    expect(counts.add('first', true).all).toBe(1);
    expect(counts.add('m9999', true).all).toBe(2);
  });
});
