import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import {
  profileQueries,
  startMongoProxy,
  testDatabase,
  type ProfiledQuery,
} from '@daycare/testing';
import { Collection, MongoClient } from 'mongodb';
import type { AcceptedItem, InboxItem } from '../domain/inbox-item';
import { inboxIndexes, type InboxRow } from './inbox-row';
import type { PlacedItem, Recipient } from '../domain/placed-item';
import { InboxStore } from './inbox-store';
import { MailboxStore } from './mailbox-store';

const now = new Date('2026-01-01T12:00:00Z');

let mongo: MongoConnection;
let inbox: InboxStore;
let mailbox: MailboxStore;

beforeAll(async () => {
  mongo = await testDatabase('inbox');
  await ensureIndexes(mongo.db, [inboxIndexes]);
  inbox = new InboxStore(mongo.db);
  mailbox = new MailboxStore(mongo.db);
});
afterAll(async () => mongo.close());

const rows = () => mongo.db.collection<InboxRow>('inbox');

interface Household {
  readonly userId: string;
  readonly agents: readonly { readonly id: string; readonly userId: string }[];
}

function newHousehold(agentCount = 1): Household {
  const userId = createId();
  return { userId, agents: Array.from({ length: agentCount }, () => ({ id: createId(), userId })) };
}

function mail(userId: string, messageId: string, text = messageId): AcceptedItem {
  const content = { kind: 'system_message', text, origin: 'friend:otter7' } as const;
  return { userId, messageId, acceptedAt: now, ...content, silent: false, hops: 0 };
}

/** A message for all agents of the household; the first agent leads. */
function placedMessage(
  { userId, agents }: Household,
  messageId: string,
  text?: string,
): PlacedItem<Recipient> {
  const recipients = agents.map(({ id }) => ({ id, shard: 3, ownerUserId: undefined }));
  return { item: mail(userId, messageId, text), recipients };
}

/** Returns the inbox queries that `run` makes. */
async function profileInbox(run: () => Promise<void>): Promise<ProfiledQuery[]> {
  await mongo.db.dropCollection('system.profile').catch(() => undefined);
  return profileQueries(mongo.db, /\.inbox$/, run);
}

const textsOf = (items: readonly InboxItem[]): string[] =>
  items.map((item) => (item.kind === 'system_message' ? item.text : item.kind));
const nextTexts = async (agent: { readonly id: string }): Promise<string[]> =>
  textsOf(await inbox.next(agent, 100));

describe('InboxStore.put', () => {
  it('keeps items in the order they are put, whatever their message ids', async () => {
    const home = newHousehold();
    const ids = ['z', 'a', 'm', 'b'];
    await Promise.all(ids.map((id) => inbox.put([placedMessage(home, id)])));
    await inbox.put(['y', 'c', 'x'].map((id) => placedMessage(home, id)));
    expect(await nextTexts(home.agents[0]!)).toEqual([...ids, 'y', 'c', 'x']);
  });

  it('leaves a waiting message unchanged when it is put again, and reports the duplicate', async () => {
    const home = newHousehold();
    const first = { ...placedMessage(home, 'm'), afterSequence: 5 };
    expect(await inbox.put([first])).toEqual(['stored']);
    const again = { ...placedMessage(home, 'm', 'other'), afterSequence: 9 };
    expect(await inbox.put([placedMessage(home, 'n'), again])).toEqual(['stored', 'duplicate']);
    expect(await inbox.findAfterSequence(home.userId, 'm')).toBe(5);
    expect(await nextTexts(home.agents[0]!)).toEqual(['m', 'n']);
  });

  it('neither returns nor stores the text of a handled message that is put again', async () => {
    const home = newHousehold();
    const [agent] = home.agents;
    await inbox.put([placedMessage(home, 'm', 'a secret')]);
    await inbox.settle(agent!, ['m'], now);
    await inbox.put([placedMessage(home, 'm', 'a secret')]);
    expect(await nextTexts(agent!)).toEqual([]);
    const row = await rows().findOne({ _id: `${home.userId}/m` });
    expect(row?.expiresAt).toBeInstanceOf(Date);
    expect(JSON.stringify(row)).not.toContain('a secret');
  });

  it('stores where an item came from and who sent it', async () => {
    const home = newHousehold();
    const sender = { agentId: 'a', userId: 'bob' };
    const { item, recipients } = placedMessage(home, 'm');
    await inbox.put([{ item: { ...item, sender } as AcceptedItem, recipients }]);
    expect(await rows().findOne({ _id: `${home.userId}/m` })).toMatchObject({
      source: 'friend',
      trust: 'guest',
      lane: 'other',
      senderUserId: 'bob',
    });
  });

  it('rejects a whole batch if the text of one item is too long', async () => {
    const home = newHousehold();
    const items = [
      placedMessage(home, 'short'),
      placedMessage(home, 'long', 'x'.repeat(1_000_001)),
    ];
    await expect(inbox.put(items)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await nextTexts(home.agents[0]!)).toEqual([]);
  });

  it('uses one command to store items that are put concurrently for many users', async () => {
    const homes = Array.from({ length: 64 }, () => newHousehold());
    const insert = jest.spyOn(Collection.prototype, 'insertMany');
    await Promise.all(homes.map((home) => inbox.put([placedMessage(home, 'm')])));
    expect(insert).toHaveBeenCalledTimes(1);
    insert.mockRestore();
    const found = await Promise.all(homes.map(({ agents }) => nextTexts(agents[0]!)));
    expect(found).toEqual(homes.map(() => ['m']));
  });
});

describe('InboxStore.put and broken connections', () => {
  it.each(['before', 'after'] as const)(
    'when the connection breaks %s a batch is stored, every item is rejected, and a retry stores each once, in order',
    async (when) => {
      const proxy = await startMongoProxy();
      // Without retries, so that one broken connection is enough.
      const client = await MongoClient.connect(proxy.url, {
        retryWrites: false,
        // Passed in because the driver would load it with import(), which Jest does not support.
        runtimeAdapters: { os },
      });
      const store = new InboxStore(client.db(mongo.db.databaseName));
      const home = newHousehold();
      const putAll = () =>
        Promise.allSettled(['b', 'a', 'c'].map((id) => store.put([placedMessage(home, id)])));
      proxy.trap({ label: 'insert inbox', when }, () => undefined);
      const lost = await putAll();
      expect(lost.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
        lost.map(() => 'UNAVAILABLE'),
      );
      const again = await putAll();
      expect(again.map(({ status }) => status)).toEqual(again.map(() => 'fulfilled'));
      expect(await nextTexts(home.agents[0]!)).toEqual(['b', 'a', 'c']);
      await client.close();
      await proxy.close();
    },
  );
});

describe('InboxStore.next', () => {
  it('returns a message as silent to every recipient except the lead agent', async () => {
    const home = newHousehold(3);
    await inbox.put([placedMessage(home, 'm')]);
    const items = await Promise.all(home.agents.map((agent) => inbox.next(agent, 10)));
    expect(items.map(([item]) => item?.kind === 'system_message' && item.silent)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('reads the inboxes of many agents in bounded pages, however many items are waiting for one of them', async () => {
    const long = newHousehold();
    const backlog = Array.from({ length: 10_000 }, (_, index) => placedMessage(long, `b${index}`));
    await inbox.put(backlog);
    const homes = Array.from({ length: 63 }, () => newHousehold(2));
    for (const id of ['m1', 'm2']) await inbox.put(homes.map((home) => placedMessage(home, id)));
    const agents = [long, ...homes].flatMap((home) => home.agents);
    let found: InboxItem[][] = [];
    const queries = await profileInbox(async () => {
      found = await Promise.all(agents.map((agent) => inbox.next(agent, 64)));
    });
    expect(textsOf(found[0]!)).toEqual(Array.from({ length: 64 }, (_, index) => `b${index}`));
    expect(found.slice(1).map(textsOf)).toEqual(agents.slice(1).map(() => ['m1', 'm2']));
    expect(queries.length).toBeLessThanOrEqual(3);
    for (const { planSummary, docsExamined } of queries) {
      expect(planSummary).toBe('IXSCAN { waitingFor: 1, lane: -1, order: 1, trust: 1 }');
      expect(docsExamined).toBeLessThanOrEqual(64 + 2 * agents.length);
    }
  });
});

describe('InboxStore.settle', () => {
  it('keeps the text of an item until the last recipient has handled it, however often one recipient settles it', async () => {
    const home = newHousehold(2);
    const [lead, listener] = [home.agents[0]!, home.agents[1]!];
    await inbox.put([placedMessage(home, 'm'), placedMessage(home, 'n')]);
    await inbox.settle(lead, ['m'], now);
    await inbox.settle(lead, ['m'], now);
    // In the same batch, one agent repeats a settlement and the other agent settles another item.
    await Promise.all([inbox.settle(lead, ['m'], now), inbox.settle(listener, ['n'], now)]);
    expect(await nextTexts(lead)).toEqual(['n']);
    expect(await nextTexts(listener)).toEqual(['m']);
    await inbox.settle(listener, ['m'], now);
    const row = await rows().findOne({ _id: `${home.userId}/m` });
    expect(row).not.toHaveProperty('item');
    expect(row).not.toHaveProperty('waitingFor');
    expect(row?.expiresAt).toBeInstanceOf(Date);
  });

  it('settles a message that several recipients handle concurrently', async () => {
    const home = newHousehold(4);
    await inbox.put([placedMessage(home, 'm')]);
    const stores = home.agents.map(() => new InboxStore(mongo.db));
    await Promise.all(home.agents.map((agent, index) => stores[index]!.settle(agent, ['m'], now)));
    expect(await rows().findOne({ _id: `${home.userId}/m` })).not.toHaveProperty('item');
  });

  it('settles many agents’ items with one command', async () => {
    const homes = Array.from({ length: 64 }, () => newHousehold());
    await inbox.put(homes.map((home) => placedMessage(home, 'm')));
    const queries = await profileInbox(async () => {
      await Promise.all(homes.map(({ agents }) => inbox.settle(agents[0]!, ['m'], now)));
    });
    expect(queries.map(({ planSummary }) => planSummary)).toEqual(['IXSCAN { _id: 1 }']);
    expect((await inbox.countByAgent(homes.flatMap(({ agents }) => agents))).size).toBe(0);
  });
});

describe('the mailbox', () => {
  it('messages without recipients reach no inbox until routing gives each of them recipients, once and oldest first', async () => {
    const home = newHousehold(2);
    const alone = { userId: home.userId, agents: [] };
    for (const id of ['z', 'a', 'm']) await inbox.put([placedMessage(alone, id)]);
    expect(await nextTexts(home.agents[0]!)).toEqual([]);
    expect(await mailbox.usersWithUnrouted([home.userId])).toEqual([home.userId]);
    const { recipients } = placedMessage(home, 'any');
    expect(await mailbox.route(home.userId, recipients, 2)).toMatchObject({
      count: 2,
      hasMore: true,
    });
    await mailbox.route(home.userId, [{ ...recipients[0]!, id: 'another' }], 10);
    expect(await nextTexts(home.agents[0]!)).toEqual(['z', 'a']);
    expect(await nextTexts({ id: 'another' })).toEqual(['m']);
    expect(await mailbox.usersWithUnrouted([home.userId])).toEqual([]);
    expect(await inbox.findRecipient(home.userId, 'z')).toBe(home.agents[0]!.id);
  });

  it('the users whose mailboxes contain messages are found without reading a row, however many messages are waiting', async () => {
    const { userId } = newHousehold();
    const ids = Array.from({ length: 1_000 }, (_, index) => `m${index}`);
    await inbox.put(ids.map((id) => placedMessage({ userId, agents: [] }, id)));
    const queries = await profileInbox(async () => {
      expect(await mailbox.usersWithUnrouted([userId, 'nobody'])).toEqual([userId]);
    });
    expect(queries).toMatchObject([{ docsExamined: 0 }]);
    for (const { keysExamined } of queries) expect(keysExamined).toBeLessThan(10);
  });

  it('a message that was stored without recipients and is put again with recipients gets them before any later message is stored', async () => {
    const home = newHousehold();
    await inbox.put([placedMessage({ userId: home.userId, agents: [] }, 'early')]);
    const insert = jest.spyOn(Collection.prototype, 'insertMany');
    const seen: string[][] = [];
    insert.mockImplementation(async function (this: Collection, ...args) {
      seen.push(await nextTexts(home.agents[0]!));
      return Collection.prototype.bulkWrite.call(
        this,
        args[0].map((document) => ({ insertOne: { document } })),
        { ordered: true },
      ) as never;
    });
    await inbox.put([placedMessage(home, 'early'), placedMessage(home, 'late')]);
    insert.mockRestore();
    expect(seen).toEqual([[], ['early']]);
    expect(await nextTexts(home.agents[0]!)).toEqual(['early', 'late']);
  });

  it('when two replicas route the mailbox concurrently, each message gets its recipients from only one of them', async () => {
    const home = newHousehold(2);
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
    await inbox.put(ids.map((id) => placedMessage({ userId: home.userId, agents: [] }, id)));
    const { recipients } = placedMessage(home, 'any');
    await Promise.all(
      recipients.map((recipient) =>
        new MailboxStore(mongo.db).route(home.userId, [recipient], 100),
      ),
    );
    const [first, second] = await Promise.all(home.agents.map(nextTexts));
    expect([...first!, ...second!].sort()).toEqual([...ids].sort());
  });
});

describe('InboxStore.deleteByUser', () => {
  it('deletes a user’s rows, but not those of another user whose id begins with the deleted id', async () => {
    const home = newHousehold();
    const longerIdHome = { ...home, userId: `${home.userId}0` };
    await inbox.put([placedMessage(home, 'm'), placedMessage(longerIdHome, 'm')]);
    await inbox.deleteByUser(home.userId);
    const storedOf = async ({ userId }: Household) => [
      ...(await inbox.findStored([{ userId, id: 'm' }])).all,
    ];
    expect([await storedOf(home), await storedOf(longerIdHome)]).toEqual([[], ['m']]);
  });
});
