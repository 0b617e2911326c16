import { describe, expect, it } from '@jest/globals';
import {
  guardWording,
  messageRefusal,
  subagentRefusal,
  type RunawayGuards,
} from './runaway-guards';

const guards: RunawayGuards = { maxHops: 16, maxSubagents: 50, maxDepth: 3 };
const atLimits = { hops: 16, depth: 3, awakeSubagents: 49 };

describe('a runaway guard', () => {
  it('refuses a message after too long a chain of agents', () => {
    expect([15, 16, 17].map((hops) => messageRefusal(hops, guards))).toEqual([
      undefined,
      undefined,
      'too_many_hops',
    ]);
  });

  it('refuses a background agent beyond the limit on agents, nesting or hops', () => {
    expect(subagentRefusal(atLimits, guards)).toBeUndefined();
    expect(subagentRefusal({ ...atLimits, hops: 17 }, guards)).toBe('too_many_hops');
    expect(subagentRefusal({ ...atLimits, depth: 4 }, guards)).toBe('too_deep');
    expect(subagentRefusal({ ...atLimits, awakeSubagents: 50 }, guards)).toBe('too_many_subagents');
  });

  it('every refusal has its own wording', () => {
    expect(new Set(Object.values(guardWording)).size).toBe(3);
  });
});
