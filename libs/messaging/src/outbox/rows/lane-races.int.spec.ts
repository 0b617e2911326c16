import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, uniqueName } from '@daycare/testing';
import type { Collection } from 'mongodb';
import { draft, testSource } from '../../test-support/fixtures';
import { newGate } from '../../test-support/gate';
import { LaneAppender } from './lane-appender';
import { toRow } from './message-draft';
import { outboxIndexes, type OutboxRow } from './outbox-row';
import { OutboxSource } from '../outbox-source';
import { OutboxStore } from '../outbox-store';

describe('when several replicas append to one lane', () => {
  let mongo: MongoConnection;
  let rows: Collection<OutboxRow>;
  let source: OutboxSource;
  let lane: string;

  beforeAll(async () => {
    mongo = await testDatabase('outbox');
    await ensureIndexes(mongo.db, outboxIndexes);
    rows = mongo.db.collection('outbox');
    source = new OutboxSource(mongo.db, {
      republishAfterMs: 15_000,
      maxRepublishAfterMs: 60_000,
      receiptTtlMs: 60_000,
    });
  });
  beforeEach(() => void (lane = uniqueName('lane')));
  afterAll(() => mongo.close());

  const newReplica = () => new OutboxStore(mongo.db, testSource);
  const chain = () => rows.find({ lane }).sort({ seq: 1 }).toArray();
  const unplacedRows = (...drafts: ReturnType<typeof draft>[]) =>
    drafts.map((message) => toRow(message, testSource, new Date()));
  const receive = (id: string) => source.settle([{ id, outcome: 'delivered' }], new Date());
  /** A replica that has looked up the end of the lane and stops before its first insert. */
  const haltedReplica = (...drafts: ReturnType<typeof draft>[]) => {
    const [tailsRead, mayInsert] = [newGate(), newGate()];
    const haltingRows = new Proxy(rows, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        if (property !== 'insertMany') return value.bind(target);
        return async (...args: Parameters<typeof rows.insertMany>) => {
          tailsRead.open();
          await mayInsert.opened;
          return target.insertMany(...args);
        };
      },
    });
    const appended = new LaneAppender(haltingRows).append(unplacedRows(...drafts));
    return {
      tailsRead: tailsRead.opened,
      proceed: async () => (mayInsert.open(), appended),
    };
  };
  /** A replica that loses every race for the lane, because another one is always faster. */
  const losingReplica = () => {
    const losingRows = new Proxy(rows, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        if (property !== 'insertMany') return value.bind(target);
        return async (...args: Parameters<typeof rows.insertMany>) => {
          await newReplica().append([draft(lane)]);
          return target.insertMany(...args);
        };
      },
    });
    return new LaneAppender(losingRows);
  };
  const predecessorsOf = async (id: string): Promise<readonly string[]> => {
    const row = await rows.findOne({ _id: id });
    return row?.open ? row.predecessors : [];
  };

  it('concurrent appends to a lane form one chain in which every row names the one before it', async () => {
    const replicas = [newReplica(), newReplica(), newReplica()];
    const appended = Array.from({ length: 60 }, (_, index) =>
      replicas[index % 3]!.append([draft(lane)]),
    );
    await Promise.all(appended);
    const stored = await chain();
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
    expect(stored).toHaveLength(60);
    for (const [index, row] of stored.entries()) {
      const before = stored[index - 1];
      expect(row).toMatchObject({ predecessors: before ? [before._id] : [] });
    }
  });

  it('concurrent appends in and outside transactions form one chain', async () => {
    const replicas = [newReplica(), newReplica()];
    const appends = Array.from({ length: 10 }, (_, index) => {
      const replica = replicas[index % 2]!;
      if (index < 4) return replica.append([draft(lane)]);
      const message = draft(lane);
      return mongo.client.withSession((session) =>
        session.withTransaction(() => replica.append([message], session)),
      );
    });
    await Promise.all(appends);
    const stored = await chain();
    expect(stored).toHaveLength(10);
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  });

  it('an append reports a message as neither accepted nor a duplicate when both copies of it lose every race', async () => {
    const message = draft(lane);
    const { accepted, duplicates } = await losingReplica().append(unplacedRows(message, message));
    expect([accepted, [...duplicates]]).toEqual([[], []]);
    expect(await rows.findOne({ _id: message.id })).toBeNull();
  });

  it('an append stores the messages of other lanes even if those of one lane lose every race', async () => {
    const [lost, ...others] = [draft(lane), draft(uniqueName('lane')), draft(uniqueName('lane'))];
    const { accepted } = await losingReplica().append(unplacedRows(lost, ...others));
    expect(accepted.map(({ _id }) => _id)).toEqual(others.map(({ id }) => id));
  });

  it('appends that begin before and after their predecessor’s receipt form one chain, which the next append continues', async () => {
    const [first, early, late, last] = [draft(lane), draft(lane), draft(lane), draft(lane)];
    await newReplica().append([first]);
    const halted = haltedReplica(early);
    await halted.tailsRead;
    await receive(first.id);
    await newReplica().append([late]);
    await halted.proceed();
    await newReplica().append([last]);
    expect(await predecessorsOf(late.id)).toEqual([]);
    expect(await predecessorsOf(early.id)).toEqual([late.id]);
    expect(await predecessorsOf(last.id)).toEqual([early.id]);
  });

  it('an append places its new message behind another replica’s row even if its first message is a duplicate', async () => {
    const [first, rival, next] = [draft(lane), draft(lane), draft(lane)];
    await newReplica().append([first]);
    const halted = haltedReplica(first, next);
    await halted.tailsRead;
    await newReplica().append([rival]);
    const { accepted, duplicates } = await halted.proceed();
    expect(accepted.map(({ _id }) => _id)).toEqual([next.id]);
    expect([...duplicates].map(({ _id }) => _id)).toEqual([first.id]);
    expect(await predecessorsOf(next.id)).toEqual([rival.id]);
  });

  it('an append postpones the expiry of the row it follows to more than an hour from now', async () => {
    const [old, next] = [draft(lane), draft(lane)];
    await newReplica().append([old]);
    await receive(old.id);
    const soon = new Date(Date.now() + 60_000);
    await rows.updateOne({ _id: old.id }, { $set: { expiresAt: soon } });
    await newReplica().append([next]);
    const [kept, placed] = await chain();
    const hourMs = 60 * 60 * 1000;
    expect(kept).toMatchObject({ _id: old.id, open: false });
    expect(kept?.open === false && +kept.expiresAt - Date.now()).toBeGreaterThan(hourMs);
    expect(placed).toMatchObject({ seq: 2, predecessors: [] });
  });

  it('an append starts a new chain in a lane whose rows have all expired', async () => {
    const [old, next] = [draft(lane), draft(lane)];
    await newReplica().append([old]);
    await rows.deleteOne({ _id: old.id });
    await newReplica().append([next]);
    expect(await chain()).toMatchObject([{ _id: next.id, seq: 1, predecessors: [] }]);
  });

  it('an append names the row before it as well as the predecessors that the sender has added', async () => {
    const [first, second] = [draft(lane), { ...draft(lane), predecessors: ['notice-1'] }];
    const replica = newReplica();
    await replica.append([first]);
    expect(await replica.openTailOf(lane)).toBe(first.id);
    await replica.append([second]);
    expect(await predecessorsOf(second.id)).toEqual([first.id, 'notice-1']);
    await receive(second.id);
    expect(await replica.openTailOf(lane)).toBeUndefined();
  });
});
