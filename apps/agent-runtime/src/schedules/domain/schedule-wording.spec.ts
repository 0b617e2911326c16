import { expect, it } from '@jest/globals';
import type { Heartbeat } from './schedule';
import { batchText, chooseBatch } from './schedule-wording';

const heartbeat = (id: string, overrides: Partial<Heartbeat> = {}): Heartbeat => ({
  id,
  userId: 'u1',
  title: `Task ${id}`,
  prompt: `Look after ${id}`,
  lastRunAt: undefined,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  ...overrides,
});

it('a batch lists every title and prompt', () => {
  const all = [heartbeat('a'), heartbeat('b')];
  expect(batchText(chooseBatch(all))).toBe('## Task a\nLook after a\n\n## Task b\nLook after b');
});

it('heartbeats that do not fit into a batch come first in the next one', () => {
  const long = { prompt: 'x'.repeat(32_768) };
  let all = ['a', 'b', 'c', 'd', 'e'].map((id) => heartbeat(id, long));
  const first = chooseBatch(all).map(({ id }) => id);
  expect(first).toEqual(['a', 'b', 'c']);
  const lastRunAt = new Date('2026-01-02T00:00:00Z');
  all = all.map((each) => (first.includes(each.id) ? { ...each, lastRunAt } : each));
  expect(chooseBatch(all).map(({ id }) => id)).toEqual(['d', 'e', 'a']);
});
