import { describe, expect, it } from '@jest/globals';
import { nextEntry } from '../../agents/domain/history-entry';
import type { AssistantMessageEvent } from '../../agents/domain/context/history-record';
import { begin, personItem, start, take } from '../../test-support/turns/turn-items';
import { maxInterruptions, maxTries } from './failures/retry-policy';
import { failWork } from './failures/after-failure';
import { finishWork, assumeLease, resumeWork } from './turn-steps';

const later = (ms: number): Date => new Date(start.getTime() + ms);
const answer: AssistantMessageEvent = {
  kind: 'assistant_message',
  text: 'hi',
  toolCalls: [],
  usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
  provider: 'local',
  model: 'echo',
  replyTarget: '',
};

describe('work in progress', () => {
  const begun = begin(personItem);
  const work = begun.state.current!;

  it('a single entry records the answer, ends the work and settles its items', () => {
    const { state, events } = take(begun, finishWork(work, answer), later(5));
    expect(events).toHaveLength(1);
    expect(state).toMatchObject({
      current: undefined,
      settled: { messageIds: ['m'] },
      usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
      busyAt: later(5),
    });
    expect(state.settled?.dead).toBeUndefined();
  });

  it('work is retried with growing delays after failures and abandoned after the fifth', () => {
    let entry = begun;
    const waits: number[] = [];
    for (let failure = 1; failure < maxTries; failure += 1) {
      entry = take(entry, failWork(entry.state.current!, 'broken', start));
      waits.push(entry.state.current!.notBefore!.getTime() - start.getTime());
      expect(entry.events).toEqual([]);
      entry = take(entry, resumeWork(entry.state.current!));
      expect(entry.state.current).toMatchObject({ failures: failure, notBefore: undefined });
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
    const { state, events } = take(entry, failWork(entry.state.current!, 'broken', start));
    expect(events).toEqual([
      { kind: 'note', text: expect.stringContaining('broken'), endsWork: true },
    ]);
    expect(state.settled).toEqual({
      messageIds: ['m'],
      dead: { reason: 'broken', attempts: maxTries },
    });
  });

  it('work continues immediately after a few interruptions and with a delay after more, and is abandoned in the end', () => {
    let entry = begun;
    let waited = 0;
    for (let count = 1; count < maxInterruptions; count += 1) {
      entry = take(entry, assumeLease(entry.state, start));
      if (!entry.state.current?.notBefore) continue;
      waited += 1;
      entry = take(entry, resumeWork(entry.state.current));
    }
    expect(waited).toBe(maxInterruptions - 1 - 3);
    const { state } = take(entry, assumeLease(entry.state, start));
    expect(state.settled?.dead).toMatchObject({ attempts: maxInterruptions });
  });

  it('failures and interruptions of work are counted separately', () => {
    const failed = take(begun, failWork(work, 'broken', start));
    const again = take(failed, resumeWork(failed.state.current!));
    const taken = take(again, assumeLease(again.state, start));
    expect(taken.state.current).toMatchObject({ failures: 1, interruptions: 1 });
  });
});

describe('assumeLease', () => {
  it('taking over a lease does not count as an interruption of work that is waiting for its retry', () => {
    const begun = begin(personItem);
    const waiting = take(begun, failWork(begun.state.current!, 'broken', start));
    expect(take(waiting, assumeLease(waiting.state, start)).state).toEqual(waiting.state);
  });

  it('taking over a lease changes only the entry’s number, holder and fence when no work is in progress', () => {
    const done = take(begin(personItem), finishWork(begin(personItem).state.current!, answer));
    const claimed = nextEntry(
      done,
      assumeLease(done.state, later(9)),
      { holder: 'r2', fence: 2 },
      later(9),
    );
    expect(claimed).toMatchObject({ number: done.number + 1, fence: 2, holder: 'r2', events: [] });
    expect(claimed.state).toEqual(done.state);
  });
});
