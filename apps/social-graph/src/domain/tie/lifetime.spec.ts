import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideBlock, decideUnblock } from '../blocking';
import { decideFriendship, type Move } from '../friendship';
import { removableAt, versionBefore } from './lifetime';
import { isRefusal, noTie, type Decision, type Side, type Tie } from './tie';
import { remember, type TieRequest } from './tie-requests';
import { testPolicy } from '../../test-support/test-policy';

const dayMs = 24 * 60 * 60 * 1000;
const policy = testPolicy({ cooldownMs: 7 * dayMs, requestNoticeEveryMs: dayMs, maxBlocks: 100 });
const start = Date.UTC(2026, 0, 1);
const commands = ['add', 'remove', 'block', 'unblock'] as const;
const sides = ['low', 'high'] as const;
type Command = (typeof commands)[number];

function decide(command: Command, move: Move): Decision {
  if (command === 'block') return decideBlock(move);
  if (command === 'unblock') return decideUnblock(move);
  return decideFriendship(command, move);
}

interface Step {
  readonly command: Command;
  readonly me: Side;
  readonly waitMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  command: fc.constantFrom(...commands),
  me: fc.constantFrom<Side>(...sides),
  waitMs: fc.integer({ min: 0, max: 3 * dayMs }),
});

/** Returns two users' tie after these commands. */
function run(steps: readonly Step[]) {
  let tie: Tie = noTie;
  let recent: readonly TieRequest[] = [];
  let ms = start;
  let version = versionBefore(new Date(start));
  for (const { command, me, waitMs } of steps) {
    const at = new Date((ms += waitMs));
    const decision = decide(command, { tie, me, policy, now: at });
    if (isRefusal(decision)) continue;
    tie = decision.tie ?? tie;
    version += 1;
    recent = remember(recent, { by: me, id: `r${ms}`, command, answer: decision.answer, at });
  }
  return { tie, recent, version, ms };
}

/** Leaves out `closes`, which would end nothing: no request's notice can still be waiting in a removable tie. */
const outcomeOf = (decision: Decision): unknown =>
  isRefusal(decision) ? decision : { answer: decision.answer, notice: decision.notice };

describe('removableAt', () => {
  it('returns a time from which every call has the same outcome as if there had never been a tie', () => {
    let removable = 0;
    const property = fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const { ms: _, ...content } = run(steps);
      const now = removableAt(content, policy);
      if (!now) return;
      removable += 1;
      for (const command of commands)
        for (const me of sides)
          expect(outcomeOf(decide(command, { tie: content.tie, me, policy, now }))).toEqual(
            outcomeOf(decide(command, { tie: noTie, me, policy, now })),
          );
    });
    fc.assert(property, { numRuns: 500 });
    expect(removable).toBeGreaterThan(20);
  });

  it('keeps a tie until no request can be retried and a later tie starts with a higher version', () => {
    const property = fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const content = run(steps);
      const from = removableAt(content, policy);
      if (!from) return;
      for (const { at } of content.recent) expect(+from).toBeGreaterThanOrEqual(+at + dayMs);
      const slowClock = new Date(+from - dayMs);
      expect(versionBefore(slowClock)).toBeGreaterThanOrEqual(content.version);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('a tie with a friendship, a request, a block, or limits or a nickname that a user has set is never removable', () => {
    const since = new Date(start);
    const lastingParts: readonly Partial<Tie>[] = [
      { bond: { kind: 'friends', since } },
      { bond: { kind: 'requested', by: 'low', since } },
      { blockedSince: { high: since } },
      { limits: { low: { perHour: 1 } } },
      { nicknames: { high: 'Bob' } },
    ];
    for (const part of lastingParts)
      expect(removableAt({ tie: { ...noTie, ...part }, recent: [], version: 1 }, policy)).toBe(
        undefined,
      );
  });

  it('keeps a tie that changed more than once a second until the clock has caught up with its version', () => {
    const version = versionBefore(new Date(start)) + 1_000_000;
    const from = removableAt({ tie: noTie, recent: [], version }, policy);
    expect(+(from ?? 0)).toBe(start + 1_000_000_000 + dayMs);
  });
});
