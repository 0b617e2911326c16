import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { openTestSessions } from '../../test-support/test-sessions';
import { RevocationFeed } from './revocation-feed';

let test: Awaited<ReturnType<typeof openTestSessions>>;
beforeAll(async () => {
  test = await openTestSessions();
});
afterAll(() => test.close());

const inAnHour = (): Date => new Date(test.now().getTime() + 3_600_000);
const revoke = (...ids: string[]): Promise<void> =>
  test.revocations.add(ids.map((id) => ({ id, expiresAt: inAnHour() })));
const idsOf = ({ revoked }: { revoked: readonly { id: string }[] }): string[] =>
  revoked.map(({ id }) => id);

/** Returns a function that reads a feed as a service does, continuing where it left off. */
function follow(feed: RevocationFeed) {
  let position = '';
  return async () => {
    test.advance(1_000);
    const page = await feed.page(position);
    position = page.position;
    return page;
  };
}

describe('RevocationFeed', () => {
  it('the list of revocations is sent in full at first, then only its new entries', async () => {
    await revoke('a', 'b');
    const next = follow(test.feed);
    const first = await next();
    expect([idsOf(first), first.isRestarted]).toEqual([['a', 'b'], true]);
    const idle = await next();
    expect([idsOf(idle), idle.isRestarted]).toEqual([[], false]);
    await revoke('c');
    expect(idsOf(await next())).toEqual(['c']);
  });

  it('the list of revocations is sent in pages', async () => {
    const feed = new RevocationFeed({ revocations: test.revocations, now: test.now, pageSize: 2 });
    await revoke('p1', 'p2', 'p3');
    const all: string[] = [];
    let page = await feed.page('');
    for (;;) {
      expect(page.revoked.length).toBeLessThanOrEqual(2);
      all.push(...idsOf(page));
      if (!page.hasMore) break;
      page = await feed.page(page.position);
    }
    expect(all.slice(-3)).toEqual(['p1', 'p2', 'p3']);
  });

  it('a reader of the list of revocations misses no entry that is added concurrently', async () => {
    const next = follow(test.feed);
    const seen = new Set(idsOf(await next()));
    const names = Array.from({ length: 40 }, (_, number) => `c${number}`);
    const adding = Promise.all(names.map((name) => revoke(name)));
    const progress = { isDone: false };
    void adding.then(() => (progress.isDone = true));
    while (!progress.isDone) {
      for (const id of idsOf(await next())) seen.add(id);
      await new Promise(setImmediate);
    }
    for (const id of idsOf(await next())) seen.add(id);
    expect(names.filter((name) => !seen.has(name))).toEqual([]);
  });

  it('the list of revocations is continued, not restarted, by another replica that has not read as far yet', async () => {
    const otherReplica = new RevocationFeed({ revocations: test.revocations, now: test.now });
    await otherReplica.read();
    await revoke('late');
    test.advance(1_000);
    const { position } = await test.feed.page('');
    const page = await otherReplica.page(position);
    expect([idsOf(page), page.isRestarted]).toEqual([[], false]);
  });

  it('the list of revocations is continued, not restarted, during a read that began before the position existed', async () => {
    const { revocations } = test;
    const held: (() => void)[] = [];
    const findEnd = async () => {
      const end = await revocations.findEnd();
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      return end;
    };
    const listAfter = revocations.listAfter.bind(revocations);
    let isHolding = false;
    const slow = new RevocationFeed({ revocations: { findEnd, listAfter }, now: test.now });
    await slow.read();
    isHolding = true;
    const reading = slow.read();
    await eventually(() => held.length === 1);
    isHolding = false;
    await revoke('during');
    test.advance(1_000);
    const { position } = await test.feed.page('');
    const paging = slow.page(position);
    held[0]!();
    await reading;
    expect((await paging).isRestarted).toBe(false);
  });

  it.each(['nonsense', 'other:5', ':', 'other'])(
    'the list of revocations is sent from the beginning for the unknown position "%s"',
    async (position) => {
      const page = await test.feed.page(position);
      expect(page.isRestarted).toBe(true);
      expect(idsOf(page)).toContain('a');
    },
  );

  it('the list of revocations is sent from the beginning after the database was restored to an earlier state', async () => {
    const { position } = await test.feed.page('');
    await test.mongo.db.collection('revocations').deleteMany({ _id: { $ne: 'a' as never } });
    await test.mongo.db.collection('revocations_end').updateOne({}, { $set: { position: 1 } });
    test.advance(1_000);
    const page = await test.feed.page(position);
    expect([idsOf(page), page.isRestarted]).toEqual([['a'], true]);
  });

  it('the list of revocations is read through an index', async () => {
    const plan = await test.mongo.db
      .collection('revocations')
      .find({ position: { $gt: 1 } })
      .sort({ position: 1 })
      .explain('queryPlanner');
    expect(JSON.stringify(plan)).not.toMatch(/COLLSCAN|"SORT"/);
  });
});
