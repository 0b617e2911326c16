import { describe, expect, it } from '@jest/globals';
import { HeartbeatPolls } from './heartbeat-polls';

const second = (count: number): Date => new Date(count * 1_000);

describe('HeartbeatPolls', () => {
  it('every fifth poll looks for due heartbeats', () => {
    const polls = new HeartbeatPolls();
    const reads = Array.from({ length: 11 }, (_, index) => polls.next(second(index)));
    expect(reads.flatMap((isRead, index) => (isRead ? [index] : []))).toEqual([0, 5, 10]);
  });

  it('between two fifth polls, only the first poll at or after the earliest expected time looks for due heartbeats', () => {
    const polls = new HeartbeatPolls();
    expect(polls.next(second(0))).toBe(true);
    polls.expect(second(3));
    polls.expect(second(2));
    const reads = [1, 2, 3].map((count) => polls.next(second(count)));
    expect(reads).toEqual([false, true, false]);
  });

  it('the poll after expectNow looks for due heartbeats', () => {
    const polls = new HeartbeatPolls();
    polls.next(second(0));
    expect(polls.next(second(1))).toBe(false);
    polls.expectNow();
    expect(polls.next(second(2))).toBe(true);
  });
});
