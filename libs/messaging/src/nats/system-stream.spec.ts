import { describe, expect, it } from '@jest/globals';
import {
  consumerIn,
  defineSystemStream,
  groupOf,
  senderIn,
  streamNameOf,
  subjectOf,
  subjectOfReceipts,
  subjectsOfGroup,
  subjectsOfStream,
} from './system-stream';

describe('defineSystemStream', () => {
  const stream = defineSystemStream({ prefix: 'daycare' });

  it('derives a stream’s name and subjects from the prefix and the service that consumes its messages', () => {
    expect(streamNameOf(stream, 'agents')).toBe('daycare-agent-runtime');
    expect(streamNameOf(stream, 'topology')).toBe('daycare-topology');
    expect(subjectsOfStream(stream, 'topology')).toEqual(['daycare.messages.topology.>']);
    expect(subjectsOfStream(stream, 'agents')).toEqual([
      'daycare.messages.agents.>',
      'daycare.messages.inboxes.>',
      'daycare.messages.agent-runtime.>',
    ]);
  });

  it('names the group and the sender in a message’s subject, and the sender and the consumer of the message in its receipt’s subject', () => {
    const subject = subjectOf(stream, { group: groupOf({}), source: 'social-graph', id: 'b1' });
    expect(subject).toBe('daycare.messages.agents.social-graph.b1');
    expect(senderIn(subject)).toBe('social-graph');
    expect(senderIn('daycare.messages.agents.b1')).toBe('');
    expect(subjectsOfGroup(stream, 'inboxes')).toBe('daycare.messages.inboxes.>');
    const receipts = subjectOfReceipts(stream, { source: 'identity', consumer: 'topology' });
    expect(receipts).toBe('daycare.receipts.identity.topology');
    expect(consumerIn(receipts)).toBe('topology');
  });

  it('refuses a recipient service that consumes no messages', () => {
    expect(() => groupOf({ recipientService: 'identity' })).toThrow('"identity"');
  });

  it.each(['', 'a.b', 'a b', '*', '>'])('refuses the prefix "%s"', (prefix) => {
    expect(() => defineSystemStream({ prefix })).toThrow('NATS prefix');
  });
});
