import { describe, expect, it } from '@jest/globals';
import {
  canResend,
  describeDelivery,
  mergeSent,
  reviveSent,
  toThread,
  type SentMessage,
} from './sent-message';

const sent = (atMs: number, state: SentMessage['state'], problem = ''): SentMessage => ({
  requestId: `r${atMs}`,
  messageId: 'm',
  nametag: 'otter7',
  text: 'hi',
  atMs,
  state,
  problem,
});
const received = (atMs: number) => ({ key: `k${atMs}`, text: 'hello', atMs });

function deliveries(...args: Parameters<typeof toThread>): string[] {
  return toThread(...args).map((entry) =>
    entry.kind === 'sent' ? describeDelivery(entry) : 'received',
  );
}

describe('toThread', () => {
  it('sorts both sides’ messages by time, and describes a delivered message as answered if the other side wrote after it', () => {
    const list = deliveries([sent(1, 'delivered'), sent(3, 'delivered')], [received(2)]);
    expect(list).toEqual(['Answered', 'received', 'Delivered']);
  });

  it('says why a message did not arrive', () => {
    const list = deliveries([sent(1, 'failed', 'not a friend'), sent(2, 'dead')], []);
    expect(list).toEqual(['Not sent: not a friend', 'Not delivered: delivery was abandoned']);
  });
});

describe('reviveSent', () => {
  it('after a reload, a message that was being sent has an unknown outcome and can be sent again', () => {
    const revived = reviveSent(sent(1, 'sending'));
    expect(deliveries([revived], [])).toEqual(['It is unknown whether this was sent.']);
    expect(canResend(revived)).toBe(true);
  });

  it.each(['accepted', 'delivered', 'dead', 'failed'] as const)(
    'after a reload, a message that was %s remains in that state',
    (state) => {
      expect(reviveSent(sent(1, state)).state).toBe(state);
    },
  );
});

describe('mergeSent', () => {
  it('merges the messages of two windows and sorts them by time', () => {
    const merged = mergeSent([sent(2, 'sending')], [sent(3, 'accepted'), sent(1, 'accepted')]);
    expect(merged.map(({ atMs }) => atMs)).toEqual([1, 2, 3]);
  });

  it.each([
    ['unknown', 'sending', 'sending'],
    ['sending', 'unknown', 'sending'],
    ['failed', 'accepted', 'accepted'],
    ['delivered', 'accepted', 'delivered'],
  ] as const)('merges the states %s and %s of one message into %s', (mine, theirs, state) => {
    expect(mergeSent([sent(1, mine)], [sent(1, theirs)])).toMatchObject([{ state }]);
  });
});
