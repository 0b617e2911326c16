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

describe('rankForeground', () => {
  it.each([
    {
      rule: 'an active agent before a sleeping one',
      best: agent('b', { lastActiveAt: at(-999) }),
      next: agent('a', { lastActiveAt: at(-1_000), lastUserActivityAt: at(-1), createdAt: at(-1) }),
    },
    {
      rule: 'an agent with a newer message from a person before one with an older message',
      best: agent('b', { lastUserActivityAt: at(-10) }),
      next: agent('a', { lastUserActivityAt: at(-11), createdAt: at(-1) }),
    },
    {
      rule: 'an agent with a person’s message before one without',
      best: agent('b', { lastUserActivityAt: new Date(0) }),
      next: agent('a', { createdAt: at(-1) }),
    },
    {
      rule: 'a newer agent before an older one',
      best: agent('b', { createdAt: at(-10) }),
      next: agent('a', { createdAt: at(-11) }),
    },
    { rule: 'the smaller id first when all else is equal', best: agent('a'), next: agent('b') },
  ])('ranks $rule', ({ best, next }) => {
    expect(ranked([next, best])).toEqual([best.id, next.id]);
    expect(ranked([best, next])).toEqual([best.id, next.id]);
  });

  it('includes sleeping agents', () => {
    expect(ranked([agent('a')])).toEqual(['a']);
  });

  it('excludes dead and background agents', () => {
    const agents = [agent('a', { diedAt: at(-1) }), agent('b', { foreground: false })];
    expect(ranked(agents)).toEqual([]);
  });

  it('ranks a working agent as active', () => {
    const busyAt = (id: string) => (id === 'b' ? at(-1) : undefined);
    expect(ranked([agent('a'), agent('b')], busyAt)).toEqual(['b', 'a']);
  });

  it('the ranking does not depend on the order of the agents', () => {
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
      fc.property(shuffled, ([all, reordered]) => {
        const eligible = all.filter((each) => each.foreground && !each.diedAt);
        expect(ranked(reordered)).toEqual(ranked(all));
        expect([...ranked(all)].sort()).toEqual(eligible.map(({ id }) => id).sort());
      }),
    );
  });
});
