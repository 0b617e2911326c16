import { expect, it } from '@jest/globals';
import type { Heartbeat } from './schedule';
import { batchText, chooseBatch, promptText, splitBatch } from './schedule-wording';

const heartbeat = (id: string, overrides: Partial<Heartbeat> = {}): Heartbeat => ({
  id,
  userId: 'u1',
  title: `Task ${id}`,
  prompt: `Look after ${id}`,
  quiet: false,
  lastRunAt: undefined,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  ...overrides,
});

it('a heartbeat batch lists every heartbeat’s title and prompt', () => {
  const all = [heartbeat('a'), heartbeat('b')];
  const [part, ...others] = splitBatch(chooseBatch(all));
  expect(batchText(part!)).toBe('## Task a\nLook after a\n\n## Task b\nLook after b');
  expect(others).toEqual([]);
});

it('quiet heartbeats, and those that others wrote, go into separate messages, and only messages with quiet heartbeats say that the answer is not shown', () => {
  const parts = splitBatch([
    heartbeat('a', { quiet: true }),
    heartbeat('b', { trust: 'guest', carriesPrivate: true }),
    heartbeat('c'),
  ]);
  expect(parts).toMatchObject([
    { quiet: false, heartbeats: [{ id: 'c' }] },
    { quiet: true, heartbeats: [{ id: 'a' }] },
    { quiet: false, trust: 'guest', carriesPrivate: true, heartbeats: [{ id: 'b' }] },
  ]);
  expect(parts.map((part) => batchText(part).includes('not shown to your user'))).toEqual([
    false,
    true,
    false,
  ]);
});

it('a cron’s prompt says that the answer is not shown only if the cron is quiet and its agent is not a foreground agent', () => {
  const hasNotice = (quiet: boolean, foreground: boolean): boolean =>
    promptText({ prompt: 'Tea', quiet }, { foreground }) !== 'Tea';
  expect([hasNotice(true, false), hasNotice(true, true), hasNotice(false, false)]).toEqual([
    true,
    false,
    false,
  ]);
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
