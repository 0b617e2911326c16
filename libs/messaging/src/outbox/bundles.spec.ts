import { describe, expect, it } from '@jest/globals';
import { toBundles } from './bundles';
import type { OutgoingMessage } from './message-source';

const message = (id: number, bytes = 100, recipientService?: string): OutgoingMessage => ({
  id: `m${id}`,
  recipientUserId: 'bob',
  ...(recipientService === undefined ? {} : { recipientService }),
  payload: new Uint8Array(bytes),
  predecessors: [],
  publications: 1,
});
const some = (count: number, bytes?: number) =>
  Array.from({ length: count }, (_, id) => message(id, bytes));
const sizesOf = (messages: readonly OutgoingMessage[]) =>
  toBundles(messages).map((bundle) => bundle.messages.length);

describe('toBundles', () => {
  it('puts the messages to all agents into one bundle, and those to each service into another', () => {
    const bundles = toBundles([message(1), message(2, 1, 'topology'), message(3)]);
    expect(bundles).toMatchObject([
      { group: 'agents', messages: [{ id: 'm1' }, { id: 'm3' }] },
      { group: 'topology', messages: [{ id: 'm2' }] },
    ]);
  });

  it('keeps bundles within what NATS accepts', () => {
    expect(sizesOf(some(300))).toEqual([256, 44]);
    expect(sizesOf(some(5, 300 * 1024))).toEqual([2, 2, 1]);
    expect(sizesOf([message(1, 768 * 1024), message(2)])).toEqual([1, 1]);
  });
});
