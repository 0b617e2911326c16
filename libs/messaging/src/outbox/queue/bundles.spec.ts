import { describe, expect, it } from '@jest/globals';
import { byGroup, firstBundle } from './bundles';
import type { OutgoingMessage } from '../rows/message-source';

const message = (id: number, bytes = 100, recipientService?: string): OutgoingMessage => ({
  id: `m${id}`,
  recipientUserId: 'bob',
  ...(recipientService === undefined ? {} : { recipientService }),
  payload: new Uint8Array(bytes),
  predecessors: [],
  publications: 1,
});
const manyMessages = (count: number, bytes?: number) =>
  Array.from({ length: count }, (_, id) => message(id, bytes));
const sizeOf = (messages: readonly OutgoingMessage[]) =>
  firstBundle('agents', messages).messages.length;

describe('bundles', () => {
  it('may contain messages to different agents, but not messages to agents and to a service', () => {
    const groups = byGroup([message(1), message(2, 1, 'topology'), message(3)]);
    expect(Object.fromEntries(groups)).toMatchObject({
      agents: [{ id: 'm1' }, { id: 'm3' }],
      topology: [{ id: 'm2' }],
    });
  });

  it('stay within what NATS accepts, but contain at least one message', () => {
    expect(sizeOf(manyMessages(300))).toBe(256);
    expect(sizeOf(manyMessages(5, 300 * 1024))).toBe(2);
    expect(sizeOf([message(1, 768 * 1024), message(2)])).toBe(1);
  });
});
