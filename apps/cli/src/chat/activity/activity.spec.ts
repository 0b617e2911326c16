import { describe, expect, it } from '@jest/globals';
import { Activity } from './activity';

describe('Activity', () => {
  it('describes what the agent is doing, and how long it has been busy', () => {
    const activity = new Activity();
    expect(activity.describe(0)).toBe('');
    activity.enter({ kind: 'sending' }, 1_000);
    expect(activity.describe(1_400)).toBe('sending 0s');
    activity.enter({ kind: 'thinking' }, 2_000);
    expect(activity.describe(4_000)).toBe('thinking 3s');
    activity.enter({ kind: 'running', tool: 'exec' }, 5_000);
    expect(activity.describe(13_000)).toBe('running exec 12s');
    activity.enter({ kind: 'waiting', for: 'openai' }, 14_000);
    expect(activity.describe(14_000)).toBe('waiting for openai 13s');
    activity.enter({ kind: 'idle' }, 15_000);
    expect([activity.describe(16_000), activity.elapsedMs(16_000)]).toEqual(['', 0]);
    activity.enter({ kind: 'thinking' }, 20_000);
    expect(activity.describe(21_000)).toBe('thinking 1s');
  });
});
