import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import {
  eventually,
  profileQueries,
  queriesSortedInMemory,
  queriesWithoutIndex,
} from '@daycare/testing';
import { noticeIdOf } from '../domain/tie/notices';
import type { RowTie } from '@daycare/messaging';
import { otherSide, type Side } from '../domain/tie/tie';
import { newTie, noticeTo, openTestTies, republishAfterMs } from '../test-support/test-ties';
import { NoticeSource } from './notice-source';
import type { StoredTie } from './tie-document';

const test = useFixture(openTestTies);

const timing = { republishAfterMs, maxRepublishAfterMs: 60_000 };
const never = new Date(0);
const ended: RowTie[] = [];
const newSource = () =>
  new NoticeSource(test.mongo.db, timing, async (tie) => void ended.push(tie));
const after = (ms: number): Date => new Date(Date.now() + ms);
const due = (ms = republishAfterMs + 1_000) => ({ now: after(ms), republishBefore: never });
const delivered = (id: string) => ({ id, outcome: 'delivered' as const });

/** Stores a tie with notices to these sides, oldest first. */
async function newNotices(...sides: Side[]): Promise<{ tie: StoredTie; ids: string[] }> {
  const { ties } = test.newStores();
  const tie = newTie();
  for (const [version, to] of sides.entries())
    await ties.save({ ...tie, version }, noticeTo(to, { ...tie, version }));
  return { tie, ids: sides.map((_, index) => noticeIdOf(tie.pair, index + 1)) };
}

/** Claims what is due and returns only the notices with the given ids. */
async function claim(source: NoticeSource, ids: readonly string[], when = due(), limit = 1_000) {
  return (await source.claimDue(when, limit)).filter(({ id }) => ids.includes(id));
}

/** Repeats the claim until it returns something. */
async function eventualClaim<T>(claimSome: () => Promise<readonly T[]>): Promise<readonly T[]> {
  let claimed: readonly T[] = [];
  await eventually(async () => (claimed = await claimSome()).length > 0);
  return claimed;
}

describe('NoticeSource', () => {
  it('recognises the ids of notices stored in ties and no other message ids', () => {
    const { pair } = newTie();
    expect(newSource().owns(noticeIdOf(pair, 7))).toBe(true);
    expect(newSource().owns('5f0c8d3a9b7e4f2a1c6d8e0b3a5f7c9d1e2b4a6f')).toBe(false);
  });

  it('claims a notice whose receipt is overdue, and counts the claim as its second publication', async () => {
    const { tie, ids } = await newNotices('high');
    const source = newSource();
    expect(await claim(source, ids, due(0))).toEqual([]);
    const stored = (await test.documentOf(tie))!.notices![0]!;
    expect(await claim(source, ids)).toEqual([
      {
        id: ids[0],
        recipientUserId: tie.pair.high.userId,
        payload: stored.payload.buffer,
        predecessors: [],
        publications: 2,
      },
    ]);
  });

  it('each claim doubles the time until a notice is due again, up to the maximum', async () => {
    const { ids } = await newNotices('low');
    const source = newSource();
    let atMs = republishAfterMs + 1_000;
    for (const waitMs of [30_000, 60_000, 60_000]) {
      expect(await claim(source, ids, due(atMs))).toHaveLength(1);
      expect(await claim(source, ids, due(atMs + waitMs - 1_000))).toEqual([]);
      atMs += waitMs + 1_000;
    }
  });

  it('two relays do not claim the same notice', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => newNotices('high', 'low')));
    const ids = all.flatMap((stored) => stored.ids);
    const claims = await Promise.all(
      [newSource(), newSource()].map((source) => claim(source, ids)),
    );
    const claimed = claims.flat().map(({ id }) => id);
    expect(claimed.sort()).toEqual(ids.sort());
  });

  it('claims no more notices than requested', async () => {
    const { ids } = await newNotices('high', 'low', 'high');
    const source = newSource();
    await claim(source, ids);
    await source.release(ids, never);
    const claimed = await eventualClaim(() =>
      source.claimDue({ now: new Date(1), republishBefore: never }, 2),
    );
    expect(claimed).toHaveLength(2);
  });

  it('after a reconnection, every notice without a receipt is due, and its publications are counted from one again', async () => {
    const { ids } = await newNotices('high');
    const source = newSource();
    await claim(source, ids);
    const again = { now: after(20_000), republishBefore: after(20_000) };
    expect(await claim(source, ids, again)).toMatchObject([{ id: ids[0], publications: 1 }]);
  });

  it('a notice that could not be published is due again at the time to which it is released', async () => {
    const { ids } = await newNotices('high');
    const source = newSource();
    await claim(source, ids);
    await source.release(ids, after(100));
    expect(await claim(source, ids, due(50))).toEqual([]);
    const claimed = await eventualClaim(() => claim(source, ids, due(200)));
    expect(claimed).toMatchObject([{ publications: 2 }]);
  });

  it('a receipt erases its own notice and no other', async () => {
    const { tie, ids } = await newNotices('high', 'low', 'high');
    const other = await newNotices('high', 'low', 'high');
    const source = newSource();
    await source.settle([delivered(ids[1]!), delivered('unknown1')]);
    expect(await source.findOpen([...ids, ...other.ids])).toEqual(
      new Set([ids[0], ids[2], ...other.ids]),
    );
    await source.settle([delivered(ids[0]!), { id: ids[2]!, outcome: 'dead', reason: 'nobody' }]);
    const document = await test.documentOf(tie);
    expect(document).toMatchObject({ version: 3, notices: [] });
    expect(document).not.toHaveProperty('dueAt');
    const claimed = await claim(source, [...ids, ...other.ids]);
    expect(claimed.map(({ id }) => id)).toEqual(other.ids);
  });

  it('a notice is settled only by a receipt from the service that it was sent to', async () => {
    const { ids } = await newNotices('high');
    const source = newSource();
    const settleAs = (consumer: string) => source.settle([{ ...delivered(ids[0]!), consumer }]);
    expect(await settleAs('topology')).toMatchObject({ settled: 0 });
    expect(await source.findOpen(ids)).toEqual(new Set(ids));
    expect(await settleAs('agent-runtime')).toMatchObject({ settled: 1 });
  });

  it('counts every notice settled by a batch of receipts, including several from one tie', async () => {
    const { tie, ids } = await newNotices('high', 'low', 'high');
    const other = await newNotices('low');
    const receipts = [...ids, ...other.ids, ids[0]!].map(delivered);
    expect(await newSource().settle(receipts)).toMatchObject({ settled: 4 });
    expect(await test.documentOf(tie)).toMatchObject({ notices: [] });
  });

  it('a repeated receipt changes nothing', async () => {
    const { ids } = await newNotices('high');
    const source = newSource();
    const first = await source.settle([delivered(ids[0]!)]);
    expect(first).toEqual({ settled: 1, hasReleased: false });
    await expect(source.settle([delivered(ids[0]!)])).resolves.toMatchObject({ settled: 0 });
  });

  it('the arrival of the last receipt for an ended tie sets the tie’s expiry time', async () => {
    const { tie, ids } = await newNotices('high', 'low');
    const { ties } = test.newStores();
    const known = (await ties.find(tie.pair.id))!;
    await ties.remove(known);
    const source = newSource();
    await source.settle([delivered(ids[0]!)]);
    expect(await test.documentOf(tie)).not.toHaveProperty('expiresAt');
    expect(await claim(source, ids)).toMatchObject([{ recipientUserId: tie.pair.low.userId }]);
    await source.settle([delivered(ids[1]!)]);
    // MongoDB deletes expired documents once a minute.
    expect(await test.documentOf(tie)).toHaveProperty('expiresAt');
  });

  it('ending a tie sets its expiry time if its last receipt arrived after the tie was read', async () => {
    const { tie, ids } = await newNotices('high');
    const { ties } = test.newStores();
    const known = (await ties.find(tie.pair.id))!;
    await newSource().settle([delivered(ids[0]!)]);
    await expect(ties.remove(known)).resolves.toBe(true);
    expect(await test.documentOf(tie)).toMatchObject({ ended: true, expiresAt: expect.any(Date) });
  });

  it('the backlog reports how many ties have open notices, and since when a notice has been open', async () => {
    const source = newSource();
    const before = await source.backlog();
    const { ids } = await newNotices('high', 'low');
    const { rows, oldestAcceptedAt } = await source.backlog();
    expect(rows).toBe(before.rows + 1);
    expect(oldestAcceptedAt).toBeInstanceOf(Date);
    await source.settle(ids.map(delivered));
    await eventually(async () => (await source.backlog()).rows === before.rows);
  });

  it('the backlog reports when the oldest open notice was accepted, even if a newer one is due earlier', async () => {
    const source = newSource();
    const acceptedAt = after(-60_000);
    const tie = newTie();
    const oldest = { ...noticeTo('high', tie), acceptedAt, nextAttemptAt: after(120_000) };
    await test.newStores().ties.save(tie, oldest);
    await newNotices('high');
    expect(await source.backlog()).toMatchObject({ oldestAcceptedAt: acceptedAt });
    await source.settle([delivered(oldest.id)]);
  });

  it('every relay query uses an index and sorts by it', async () => {
    const { ids } = await newNotices('high', otherSide.high);
    const source = newSource();
    const queries = await profileQueries(test.mongo.db, /\.ties$/, async () => {
      await source.claimDue(due(), 10);
      await source.claimDue({ now: after(0), republishBefore: after(0) }, 10);
      await source.release(ids, after(0));
      await source.findOpen(ids);
      await source.backlog();
      await source.settle(ids.map(delivered));
    });
    expect(queries.length).toBeGreaterThanOrEqual(8);
    expect(queriesWithoutIndex(queries)).toEqual([]);
    expect(queriesSortedInMemory(queries)).toEqual([]);
  });
});
