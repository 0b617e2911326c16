import { describe, expect, it } from '@jest/globals';
import { guardWording, refuseMessage, refuseSubagent, type RunawayGuards } from './runaway-guards';

const guards: RunawayGuards = { maxHops: 16, maxSubagents: 50, maxDepth: 3 };
const fine = { hops: 16, depth: 3, awake: 49 };

describe('what runs away', () => {
  it('is a message that more agents in a row have caused than may', () => {
    expect([15, 16, 17].map((hops) => refuseMessage(hops, guards))).toEqual([
      undefined,
      undefined,
      'too_many_hops',
    ]);
  });

  it('is a background agent that is one too many, too deep or caused by too many', () => {
    expect(refuseSubagent(fine, guards)).toBeUndefined();
    expect(refuseSubagent({ ...fine, hops: 17 }, guards)).toBe('too_many_hops');
    expect(refuseSubagent({ ...fine, depth: 4 }, guards)).toBe('too_deep');
    expect(refuseSubagent({ ...fine, awake: 50 }, guards)).toBe('too_many_subagents');
  });

  it('is told why', () => {
    expect(new Set(Object.values(guardWording)).size).toBe(3);
  });
});
