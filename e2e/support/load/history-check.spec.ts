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
const userMessage = (...numbers: number[]) => ({
  kind: 'user_message',
  text: numbers.map((number) => `s0 #${number}`).join('\n'),
  messageIds: numbers.map((number) => `m${number}`),
});
const answer = { kind: 'assistant_message' };

type Draft = Pick<Entry, 'fence' | 'events'> & Partial<Entry['state']> & { holder?: string };

/** Two turns; the replica with fence 1 dies in the first, the one with fence 2 continues. */
const goodHistory: readonly Draft[] = [
  { fence: 0, holder: '', events: [{ kind: 'start' }] },
  { fence: 1, events: [userMessage(1, 2)], current: work(['m1', 'm2']) },
  { fence: 2, events: [], current: work(['m1', 'm2'], 1) },
  { fence: 2, events: [answer], settled: { messageIds: ['m1', 'm2'] } },
  { fence: 2, events: [userMessage(3)], current: work(['m3']) },
  { fence: 2, events: [answer], settled: { messageIds: ['m3'] } },
];

function checkHistory(drafts: readonly Draft[]): HistoryCheck {
  const check = new HistoryCheck(accepted);
  check.begin('agent', 7);
  let lastSequence = 0;
  for (const [
    index,
    { fence, events, holder = `replica-${fence}`, ...state },
  ] of drafts.entries()) {
    lastSequence += events.length;
    const position = { agentId: 'agent', number: index + 1, fence, holder };
    check.take({ ...position, events, state: { lastSequence, ...state } });
  }
  check.end();
  return check;
}

/** Returns the good history with some entries replaced. */
function replaceEntries(at: number, count: number, ...instead: Draft[]): readonly Draft[] {
  return goodHistory.toSpliced(at, count, ...instead);
}

describe('checking histories', () => {
  it('the history check accepts and counts a turn that another replica took over', () => {
    const { faults, figures } = checkHistory(goodHistory);
    expect(faults).toEqual([]);
    expect(figures).toEqual({ entries: 6, turns: 2, takeovers: 1, interruptions: 1 });
  });

  it('the history check accepts and counts a turn that is stored as a single entry', () => {
    const turn = { fence: 2, events: [userMessage(3), answer], settled: { messageIds: ['m3'] } };
    const { faults, figures } = checkHistory(replaceEntries(4, 2, turn));
    expect(faults).toEqual([]);
    expect(figures).toEqual({ entries: 5, turns: 2, takeovers: 1, interruptions: 1 });
  });

  it.each<[string, readonly Draft[], RegExp]>([
    [
      'a single-entry turn that settled a different message',
      replaceEntries(4, 2, {
        fence: 2,
        events: [userMessage(3), answer],
        settled: { messageIds: ['m2'] },
      }),
      /the items of a turn were not settled/,
    ],
    [
      'a single-entry turn without an answer',
      replaceEntries(4, 2, { fence: 2, events: [userMessage(3)], settled: { messageIds: ['m3'] } }),
      /a turn ends with ''/,
    ],
    ['a missing message', goodHistory.slice(0, 4), /^lost: s0 #3/],
    [
      'a message that was handled twice',
      [...goodHistory, { ...goodHistory[4]! }, { ...goodHistory[5]! }],
      /'s0 #3' was also received/,
    ],
    [
      'messages in the wrong order',
      replaceEntries(1, 1, { fence: 1, events: [userMessage(2, 1)], current: work(['m1', 'm2']) }),
      /'s0 #1' after #2/,
    ],
    [
      'an entry written by a replica that had lost the lease',
      replaceEntries(3, 1, { fence: 1, events: [answer], settled: { messageIds: ['m1', 'm2'] } }),
      /fence 1 after 2/,
    ],
    [
      'two replicas that wrote under the same fence',
      replaceEntries(3, 1, { ...goodHistory[3]!, holder: 'another replica' }),
      /a second holder/,
    ],
    [
      'a turn that began during another turn',
      replaceEntries(2, 1, { fence: 1, events: [userMessage(3)], current: work(['m3']) }),
      /a turn began while another was under way/,
    ],
    [
      'a turn that a replica ended without having taken it over',
      replaceEntries(2, 1),
      /ended by a replica that had not taken it over/,
    ],
    ['a turn that never ended', goodHistory.slice(0, 5), /work that was never finished/],
    [
      'two answers in one turn',
      replaceEntries(3, 1, { ...goodHistory[3]!, events: [answer, answer] }),
      /a turn ends with 'assistant_message,assistant_message'/,
    ],
    [
      'an answer without a message',
      [...goodHistory, { fence: 2, events: [answer] }],
      /records without work/,
    ],
  ])('the history check reports %s', (_, drafts, fault) => {
    expect(checkHistory(drafts).faults).toContainEqual(expect.stringMatching(fault));
  });
});
