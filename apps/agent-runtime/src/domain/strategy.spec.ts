import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rankForeground, type Candidate } from './strategy';

const sleepAfterMs = 1_000;
const at = (ms: number): Date => new Date(1_000_000 + ms);
const now = at(0);
const agent = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  foreground: true,
  createdAt: at(-5_000),
  lastActiveAt: at(-5_000),
  lastUserActivityAt: undefined,
  diedAt: undefined,
  ...more,
});
const ranked = (agents: readonly Candidate[], busyAt?: (id: string) => Date | undefined) =>
  rankForeground(agents, now, sleepAfterMs, busyAt).map(({ id }) => id);

describe('the most recent foreground agent', () => {
  it.each([
    {
      rule: 'is active rather than sleeping',
      best: agent('b', { lastActiveAt: at(-999) }),
      next: agent('a', { lastActiveAt: at(-1_000), lastUserActivityAt: at(-1), createdAt: at(-1) }),
    },
    {
      rule: 'was written to by a person later',
      best: agent('b', { lastUserActivityAt: at(-10) }),
      next: agent('a', { lastUserActivityAt: at(-11), createdAt: at(-1) }),
    },
    {
      rule: 'was written to by a person at all',
      best: agent('b', { lastUserActivityAt: new Date(0) }),
      next: agent('a', { createdAt: at(-1) }),
    },
    {
      rule: 'is younger',
      best: agent('b', { createdAt: at(-10) }),
      next: agent('a', { createdAt: at(-11) }),
    },
    { rule: 'has the smaller id', best: agent('a'), next: agent('b') },
  ])('$rule', ({ best, next }) => {
    expect(ranked([next, best])).toEqual([best.id, next.id]);
    expect(ranked([best, next])).toEqual([best.id, next.id]);
  });

  it('may be asleep', () => {
    expect(ranked([agent('a')])).toEqual(['a']);
  });

  it('is never dead nor in the background', () => {
    const agents = [agent('a', { diedAt: at(-1) }), agent('b', { foreground: false })];
    expect(ranked(agents)).toEqual([]);
  });

  it('is awake while it works', () => {
    const busyAt = (id: string) => (id === 'b' ? at(-1) : undefined);
    expect(ranked([agent('a'), agent('b')], busyAt)).toEqual(['b', 'a']);
  });

  it('is the same in whatever order the agents come', () => {
    const moment = fc.integer({ min: -3, max: 0 }).map((step) => at(step * 600));
    const agents = fc
      .array(
        fc.record({
          foreground: fc.boolean(),
          createdAt: moment,
          lastActiveAt: moment,
          lastUserActivityAt: fc.option(moment, { nil: undefined }),
          diedAt: fc.option(moment, { nil: undefined }),
        }),
        { maxLength: 8 },
      )
      .map((all) => all.map((each, index) => ({ id: `a${index}`, ...each })));
    const shuffled = agents.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([all, others]) => {
        const eligible = all.filter((each) => each.foreground && !each.diedAt);
        expect(ranked(others)).toEqual(ranked(all));
        expect([...ranked(all)].sort()).toEqual(eligible.map(({ id }) => id).sort());
      }),
    );
  });
});
