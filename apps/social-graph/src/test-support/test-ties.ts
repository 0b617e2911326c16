import { outboxIndexes, OutboxStore, type MessageDraft } from '@daycare/messaging';
import { connectMongo, ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { startMongoProxy, testDatabase, uniqueName, type WireProxy } from '@daycare/testing';
import { noticeIdOf } from '../domain/tie/notices';
import { pairOf, type Member } from '../domain/tie/pair';
import { noTie, type Side, type Tie } from '../domain/tie/tie';
import { budgetIndexes } from '../store/budget-store';
import { toStoredNotice } from '../store/notice-rows';
import { openTieStores, type TieStores } from '../store/open-tie-stores';
import type { StoredNotice, StoredTie, TieDocument } from '../store/tie-document';
import { tieIndexes } from '../store/tie-store';

export const republishAfterMs = 15_000;

/** Opens the tie stores on a separate database, directly and through a proxy that can break connections. */
export async function openTestTies(): Promise<TestTies> {
  const mongo = await testDatabase('ties');
  await ensureIndexes(mongo.db, [tieIndexes, budgetIndexes, ...outboxIndexes]);
  const proxy = await startMongoProxy();
  const proxied = await connectMongo({
    url: proxy.url,
    database: mongo.db.databaseName,
    appName: 'daycare-proxied',
  });
  return new TestTies(mongo, proxy, proxied);
}

class TestTies {
  constructor(
    readonly mongo: MongoConnection,
    readonly proxy: WireProxy,
    private readonly proxied: MongoConnection,
  ) {}

  /** Opens the stores of one more replica. */
  newStores({ db }: MongoConnection = this.mongo): TieStores {
    const outbox = new OutboxStore(db, 'social-graph');
    return openTieStores({ db, outbox, republishAfterMs });
  }

  newProxiedStores(): TieStores {
    return this.newStores(this.proxied);
  }

  async documentOf({ pair }: StoredTie): Promise<TieDocument | undefined> {
    const ties = this.mongo.db.collection<TieDocument>('ties');
    return (await ties.findOne({ _id: pair.id })) ?? undefined;
  }

  async close(): Promise<void> {
    await this.proxied.close();
    await this.proxy.close();
    await this.mongo.close();
  }
}

export const newMember = (): Member => ({
  userId: uniqueName('u').replaceAll('-', ''),
  nametag: 'otter7',
});

/** A tie that was never stored. */
export function newTie(tie: Tie = noTie, me = newMember()): StoredTie {
  return { pair: pairOf(me, newMember()).pair, tie, recent: [], version: 0 };
}

/** The notice of the next version of a tie. */
export function noticeTo(to: Side, { pair, version }: StoredTie): StoredNotice {
  const from: Side = to === 'low' ? 'high' : 'low';
  const draft: MessageDraft = {
    id: noticeIdOf(pair, version + 1),
    lane: `${pair[from].userId}>${pair[to].userId}`,
    origin: `friend:${pair[from].nametag}`,
    recipient: { userId: pair[to].userId, target: { $case: 'foreground', value: {} } },
    senderUserId: pair[from].userId,
    text: 'Hello',
  };
  const outbox = { source: 'social-graph', clock: { now: () => new Date() } };
  return toStoredNotice(draft, { to, outbox, republishAfterMs });
}
