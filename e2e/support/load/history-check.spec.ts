import { describe, expect, it } from '@jest/globals';
import { HistoryCheck, type Entry } from './history-check';

const accepted = [1, 2, 3].map((number) => ({
  messageId: `m${number}`,
  agentId: 'agent',
  channel: 'channel',
  sender: 0,
  number,
  lane: 'person' as const,
}));

const work = (messageIds: string[], interruptions = 0) => ({ messageIds, interruptions });
const said = (...numbers: number[]) => ({
  kind: 'user_message',
  text: numbers.map((number) => `s0 #${number}`).join('\n'),
  messageIds: numbers.map((number) => `m${number}`),
});
const answer = { kind: 'assistant_message' };

type Draft = Pick<Entry, 'fence' | 'events'> & Partial<Entry['state']> & { holder?: string };

/** Two turns; the replica with fence 1 dies in the first, the one with fence 2 continues. */
const good: readonly Draft[] = [
  { fence: 0, holder: '', events: [{ kind: 'start' }] },
  { fence: 1, events: [said(1, 2)], current: work(['m1', 'm2']) },
  { fence: 2, events: [], current: work(['m1', 'm2'], 1) },
  { fence: 2, events: [answer], settled: { messageIds: ['m1', 'm2'] } },
  { fence: 2, events: [said(3)], current: work(['m3']) },
  { fence: 2, events: [answer], settled: { messageIds: ['m3'] } },
];

function walk(drafts: readonly Draft[]): HistoryCheck {
  const walked = new HistoryCheck(accepted);
  walked.begin('agent', 7);
  let lastSequence = 0;
  for (const [
    index,
    { fence, events, holder = `replica-${fence}`, ...state },
  ] of drafts.entries()) {
    lastSequence += events.length;
    const place = { agentId: 'agent', number: index + 1, fence, holder };
    walked.take({ ...place, events, state: { lastSequence, ...state } });
  }
  walked.end();
  return walked;
}

/** The good history with some entries replaced. */
function changed(at: number, count: number, ...instead: Draft[]): readonly Draft[] {
  return good.toSpliced(at, count, ...instead);
}

describe('checking histories', () => {
  it('the history check accepts a turn that another replica took over, and counts it', () => {
    const { faults, figures } = walk(good);
    expect(faults).toEqual([]);
    expect(figures).toEqual({ entries: 6, turns: 2, takeovers: 1, interruptions: 1 });
  });

  it('the history check accepts a turn that is one entry, and counts it', () => {
    const whole = { fence: 2, events: [said(3), answer], settled: { messageIds: ['m3'] } };
    const { faults, figures } = walk(changed(4, 2, whole));
    expect(faults).toEqual([]);
    expect(figures).toEqual({ entries: 5, turns: 2, takeovers: 1, interruptions: 1 });
  });

  it.each<[string, readonly Draft[], RegExp]>([
    [
      'a turn of one entry that settled something else',
      changed(4, 2, { fence: 2, events: [said(3), answer], settled: { messageIds: ['m2'] } }),
      /the items of a turn were not settled/,
    ],
    [
      'a turn of one entry without an answer',
      changed(4, 2, { fence: 2, events: [said(3)], settled: { messageIds: ['m3'] } }),
      /a turn ends with ''/,
    ],
    ['a message that is missing', good.slice(0, 4), /^lost: s0 #3/],
    [
      'a message that was handled twice',
      [...good, { ...good[4]! }, { ...good[5]! }],
      /'s0 #3' was also received/,
    ],
    [
      'messages in the wrong order',
      changed(1, 1, { fence: 1, events: [said(2, 1)], current: work(['m1', 'm2']) }),
      /'s0 #1' after #2/,
    ],
    [
      'an entry by a replica that had lost the lease',
      changed(3, 1, { fence: 1, events: [answer], settled: { messageIds: ['m1', 'm2'] } }),
      /fence 1 after 2/,
    ],
    [
      'two holders of one fence',
      changed(3, 1, { ...good[3]!, holder: 'another replica' }),
      /a second holder/,
    ],
    [
      'a turn that begins within another',
      changed(2, 1, { fence: 1, events: [said(3)], current: work(['m3']) }),
      /a turn began while another was under way/,
    ],
    [
      'a turn that a replica ended without taking it over',
      changed(2, 1),
      /ended by a replica that had not taken it over/,
    ],
    ['a turn without an end', good.slice(0, 5), /work that was never finished/],
    [
      'two answers of one turn',
      changed(3, 1, { ...good[3]!, events: [answer, answer] }),
      /a turn ends with 'assistant_message,assistant_message'/,
    ],
    ['an answer to nothing', [...good, { fence: 2, events: [answer] }], /records without work/],
  ])('the history check reports %s', (_, drafts, fault) => {
    expect(walk(drafts).faults).toContainEqual(expect.stringMatching(fault));
  });
});
