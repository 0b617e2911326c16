import { describe, expect, it } from '@jest/globals';
import { shardOf } from './shard-of';
import {
  defineSystemStream,
  subjectOfMessage,
  subjectOfReceipts,
  subjectsOfShard,
} from './system-stream';

describe('defineSystemStream', () => {
  it('names everything after the prefix', () => {
    const stream = defineSystemStream({ prefix: 'daycare' });
    const shard = shardOf('bob', 64);
    expect(stream.name).toBe('daycare-system');
    expect(subjectOfMessage(stream, { recipientUserId: 'bob' }, 'm1')).toBe(
      `daycare.system.${shard}.m1`,
    );
    expect(subjectsOfShard(stream, shard)).toBe(`daycare.system.${shard}.*`);
    expect(subjectOfReceipts(stream, 'social-graph')).toBe('daycare.receipts.social-graph');
  });

  it.each(['', 'a.b', 'a b', '*', '>'])('refuses the prefix "%s"', (prefix) => {
    expect(() => defineSystemStream({ prefix })).toThrow('NATS prefix');
  });
});
