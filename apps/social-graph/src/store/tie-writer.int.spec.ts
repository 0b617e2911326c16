import { describe, expect, it } from '@jest/globals';
import type { Filter } from 'mongodb';
import { useFixture } from '@daycare/testing/jest';
import type { TieRequest } from '../domain/tie/tie-requests';
import { noTie, type Tie } from '../domain/tie/tie';
import { newTie, noticeTo, openTestTies } from '../test-support/test-ties';
import type { StoredTie, TieDocument } from './tie-document';
import { TieWriter } from './tie-writer';

const test = useFixture(openTestTies);

const start = new Date('2026-01-01T00:00:00Z');
const friends: Tie = { ...noTie, bond: { kind: 'friends', since: start } };
const requestOf = (id: string): TieRequest => ({
  by: 'low',
  id,
  command: 'add',
  answer: 'requested',
  at: start,
});
const newTies = (count: number): StoredTie[] => Array.from({ length: count }, () => newTie());
const next = (tie: StoredTie, id = 'r'): StoredTie => ({
  ...tie,
  version: tie.version + 1,
  tie: friends,
  recent: [requestOf(id)],
});
const writes = (): string[] => test.proxy.steps().filter((step) => !step.startsWith('find'));

describe('ties written at the same time', () => {
  it('saving 64 new ties takes one command, and so does saving 64 changed ones', async () => {
    const { ties } = test.newProxiedStores();
    const all = newTies(64);
    test.proxy.record();
    await Promise.all(all.map((tie) => ties.save(tie, noticeTo('high', tie))));
    expect(writes()).toEqual(['insert ties']);
    test.proxy.record();
    const changed = all.map((tie) => next(tie));
    const saved = await Promise.all(
      changed.map((tie, index) => ties.save({ ...tie, version: 1 }, noticeTo('low', all[index]!))),
    );
    expect(saved).toEqual(all.map(() => true));
    expect(test.proxy.steps()).toEqual(['update ties']);
  });

  it('exactly one of two changes to a tie in the same batch is stored', async () => {
    const { ties } = test.newStores();
    const [tie, other] = newTies(2) as [StoredTie, StoredTie];
    await Promise.all([ties.save(tie), ties.save(other)]);
    const known = (await ties.find(tie.pair.id))!;
    const change = (id: string) => ({ ...known, recent: [requestOf(id)] });
    const notice = noticeTo('high', known);
    const outcomes = await Promise.all([
      ties.save({ ...other, version: 1, recent: [requestOf('r')] }),
      ties.save(change('first'), notice),
      ties.save(change('second'), notice),
    ]);
    expect(outcomes).toEqual([true, true, false]);
    await expect(ties.find(tie.pair.id)).resolves.toMatchObject({
      version: 2,
      recent: [{ id: 'first' }],
      notices: [{ id: notice.id }],
    });
  });

  it('a change based on an outdated version loses without affecting the rest of its batch', async () => {
    const { ties } = test.newStores();
    const all = newTies(8);
    await Promise.all(all.map((tie) => ties.save(tie)));
    const stale = [1, 4, 6];
    await Promise.all(
      stale.map((index) => ties.save({ ...next(all[index]!, 'rival'), version: 1 })),
    );
    const outcomes = await Promise.all(
      all.map((tie) => ties.save({ ...next(tie), version: 1 }, noticeTo('high', tie))),
    );
    expect(outcomes).toEqual(all.map((_, index) => !stale.includes(index)));
    for (const [index, tie] of all.entries()) {
      const id = stale.includes(index) ? 'rival' : 'r';
      const stored = await ties.find(tie.pair.id);
      expect(stored).toMatchObject({ version: 2, recent: [{ id }] });
      expect(stored?.notices?.length ?? 0).toBe(stale.includes(index) ? 0 : 1);
    }
  });

  it('text that looks like a MongoDB expression is stored verbatim', async () => {
    const { ties } = test.newStores();
    const tie = newTie();
    await ties.save(tie);
    const share = {
      subuserId: '$_id',
      subuserNametag: '$$ROOT',
      subuserName: 'Helper',
      subuserDescription: '',
      owner: 'low',
      status: 'pending',
      offeredAt: start,
      acceptedAt: undefined,
    } as const;
    const tricky = { ...friends, shares: [share] };
    await ties.save({ ...tie, version: 1, tie: tricky, recent: [requestOf('$$NOW')] });
    const stored = await ties.find(tie.pair.id);
    expect(stored).toMatchObject({ tie: tricky, recent: [{ id: '$$NOW' }] });
  });

  it('a change does not bring back a notice whose receipt arrived after the tie was read', async () => {
    const { ties } = test.newStores();
    const tie = newTie();
    await ties.save(tie, noticeTo('high', tie));
    const read = (await ties.find(tie.pair.id))!;
    await test.mongo.db
      .collection<{ _id: string }>('ties')
      .updateOne({ _id: tie.pair.id }, { $set: { notices: [] }, $unset: { dueAt: 1 } });
    const second = noticeTo('low', read);
    await expect(ties.save(read, second)).resolves.toBe(true);
    expect((await test.documentOf(tie))?.notices?.map(({ id }) => id)).toEqual([second.id]);
  });
});

describe('a change that records no new request id', () => {
  /**
   * Returns a writer and the ids of the notices that it publishes; `beforeFind` runs before the writer reads back
   * its writes.
   */
  function newWriter(beforeFind: () => Promise<unknown> = async () => undefined) {
    const ties = test.mongo.db.collection<TieDocument>('ties');
    const find = ties.find.bind(ties);
    const toArray = async (filter: Filter<TieDocument>) => {
      await beforeFind();
      return find(filter).toArray();
    };
    Object.assign(ties, {
      find: (filter: Filter<TieDocument>) => ({ toArray: () => toArray(filter) }),
    });
    const writer = new TieWriter(ties);
    const published: string[] = [];
    writer.onNotices((messages) => published.push(...messages.map(({ id }) => id)));
    return { writer, published };
  }

  /** Two stored ties; the first was changed after it was read. */
  async function staleAndFresh(): Promise<[StoredTie, StoredTie]> {
    const { ties } = test.newStores();
    const [stale, fresh] = newTies(2).map((tie) => ({ ...tie, recent: [requestOf('r')] }));
    await Promise.all([ties.save(stale!), ties.save(fresh!)]);
    await ties.save({ ...stale!, version: 1, tie: friends });
    return [
      { ...stale!, version: 1 },
      { ...fresh!, version: 1 },
    ];
  }

  it('neither save nor remove succeeds if the tie has changed since it was read, and no notice is published', async () => {
    const [stale] = await staleAndFresh();
    const { writer, published } = newWriter();
    await expect(writer.save(stale, [noticeTo('high', stale)])).resolves.toBe(false);
    await expect(writer.remove(stale, [noticeTo('high', stale)])).resolves.toBe(false);
    expect(published).toEqual([]);
    expect((await test.documentOf(stale))?.notices).toEqual([]);
  });

  it.each(['save', 'remove'] as const)(
    '%s succeeds even if another change in its batch loses and another replica changes the tie afterwards',
    async (step) => {
      const [stale, fresh] = await staleAndFresh();
      const { ties } = test.newStores();
      const { writer, published } = newWriter(() => ties.save({ ...fresh, version: 2 }));
      const notice = noticeTo('high', fresh);
      const outcomes = await Promise.all([
        writer.save(stale, [noticeTo('high', stale)]),
        step === 'save' ? writer.save(fresh, [notice]) : writer.remove(fresh, [notice]),
      ]);
      expect(outcomes).toEqual([false, true]);
      expect(published).toEqual([notice.id]);
      expect((await test.documentOf(fresh))?.version).toBe(3);
    },
  );

  it('a tie keeps only the ids of its 16 latest writes', async () => {
    const { ties } = test.newStores();
    const tie = newTie();
    for (let version = 0; version < 20; version += 1) await ties.save({ ...tie, version });
    expect((await test.documentOf(tie))?.writes).toHaveLength(16);
  });
});

describe('a connection that breaks while ties are written', () => {
  const label = { 0: 'insert ties', 1: 'update ties' } as const;
  const cases = ([0, 1] as const).flatMap((version) =>
    (['before', 'after'] as const).map((when) => ({ version, when, label: label[version] })),
  );

  it.each(cases)(
    'every call in the batch fails with UNAVAILABLE if the connection breaks $when the command "$label"',
    async ({ version, when }) => {
      const { ties } = test.newProxiedStores();
      const all = newTies(3).map((tie) => ({ ...tie, recent: [requestOf('r')] }));
      if (version === 1) await Promise.all(all.map((tie) => ties.save(tie)));
      const changes = all.map((tie) => ({ ...tie, version, tie: friends }));
      // Twice, because the driver automatically retries an insert once.
      const breaking = breakTwice(label[version], when);
      const results = await Promise.allSettled(
        changes.map((tie) => ties.save(tie, noticeTo('high', tie))),
      );
      breaking.stop();
      const unknown = {
        status: 'rejected',
        reason: expect.objectContaining({ code: 'UNAVAILABLE' }),
      };
      expect(results).toEqual(changes.map(() => unknown));
      for (const tie of changes) {
        const stored = await ties.find(tie.pair.id);
        expect(stored?.version ?? 0).toBe(when === 'after' ? version + 1 : version);
        expect(stored?.notices?.length ?? 0).toBe(when === 'after' ? 1 : 0);
      }
    },
  );

  /** Breaks the connection at this step, and again when the step is retried. */
  function breakTwice(step: string, when: 'before' | 'after'): { stop: () => void } {
    let armed = test.proxy.trap({ label: step, when }, () => {
      armed = test.proxy.trap({ label: step, when }, () => undefined);
    });
    return { stop: () => armed.disarm() };
  }
});
