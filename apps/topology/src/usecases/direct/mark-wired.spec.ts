import { describe, expect, it } from '@jest/globals';
import type { Viewer } from '../../domain/viewer';
import { markCallerFirst, markOnce } from './mark-wired';

function recorder() {
  const marked: Viewer[] = [];
  return { marked, mark: markOnce(async (caller) => void marked.push(caller)) };
}

describe('marking agents as wired', () => {
  it('marks each of a user’s agents as wired only once, and never marks people', async () => {
    const { marked, mark } = recorder();
    const ada = { userId: 'ada', agentId: 'a1' };
    const callers = [ada, ada, { userId: 'eve', agentId: 'a1' }, { userId: 'ada' }];
    for (const caller of callers) await mark(caller);
    expect(marked).toEqual([ada, { userId: 'eve', agentId: 'a1' }]);
  });

  it('retries marking an agent as wired after a failure', async () => {
    let attempts = 0;
    const mark = markOnce(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('unavailable');
    });
    const caller = { userId: 'ada', agentId: 'a1' };
    await expect(mark(caller)).rejects.toThrow('unavailable');
    await mark(caller);
    expect(attempts).toBe(2);
  });

  it('rejects calls from an agent that could not be marked as wired', async () => {
    const accepted: unknown[] = [];
    const refuse = async (): Promise<void> => Promise.reject(new Error('unavailable'));
    const send = markCallerFirst(refuse, async (call: { readonly caller: Viewer }) => {
      accepted.push(call);
    });
    await expect(send({ caller: { userId: 'ada', agentId: 'a1' } })).rejects.toThrow('unavailable');
    expect(accepted).toEqual([]);
  });
});
