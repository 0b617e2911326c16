import { describe, expect, it } from '@jest/globals';
import {
  defineSystemStream,
  groupOf,
  subjectOf,
  subjectOfReceipts,
  subjectsOfAgents,
  subjectsOfService,
} from './system-stream';

describe('defineSystemStream', () => {
  it('derives the stream name and all subjects from the prefix', () => {
    const stream = defineSystemStream({ prefix: 'daycare' });
    expect(stream.name).toBe('daycare-system');
    expect(subjectOf(stream, groupOf({}), 'b1')).toBe('daycare.system.agents.b1');
    expect(subjectOf(stream, groupOf({ recipientService: 'topology' }), 'b1')).toBe(
      'daycare.system.topology.b1',
    );
    expect(subjectsOfAgents(stream)).toBe('daycare.system.agents.*');
    expect(subjectsOfService(stream, 'topology')).toBe('daycare.system.topology.*');
    expect(subjectOfReceipts(stream, 'social-graph')).toBe('daycare.receipts.social-graph');
  });

  it.each(['', 'a.b', 'a b', '*', '>'])('refuses the prefix "%s"', (prefix) => {
    expect(() => defineSystemStream({ prefix })).toThrow('NATS prefix');
  });
});
