import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import type { InboxItem } from '../domain/inbox-item';
import { inboxIndexes, InboxStore } from './inbox-store';

const now = new Date('2026-01-01T12:00:00Z');
const shard = 3;

let mongo: MongoConnection;
let inbox: InboxStore;

beforeAll(async () => {
  mongo = await testDatabase('inbox');
  await ensureIndexes(mongo.db, [inboxIndexes]);
  inbox = new InboxStore(mongo.db);
});
afterAll(async () => mongo.close());

function message(agentId: string, messageId: string, text = messageId): InboxItem {
  const said = { kind: 'message', text, files: [], replyTarget: '' } as const;
  return { agentId, userId: 'user', messageId, acceptedAt: now, ...said };
}

async function textsFor(id: string): Promise<string[]> {
  const items = await inbox.next({ id, shard }, 10);
  return items.map((item) => (item.kind === 'message' ? item.text : item.kind));
}

describe('InboxStore', () => {
  it('keeps the order of acceptance, whatever the messages are called', async () => {
    for (const name of ['z', 'a', 'm', 'b'])
      await inbox.post({ item: message('ordered', name), shard });
    expect(await textsFor('ordered')).toEqual(['z', 'a', 'm', 'b']);
  });

  it('leaves a message that waits as it is when it comes again', async () => {
    const first = await inbox.post({ item: message('twice', 'm'), shard, afterSequence: 5 });
    await inbox.post({ item: message('twice', 'n'), shard });
    const again = { item: message('twice', 'm', 'other'), shard, afterSequence: 9 };
    expect(await inbox.post(again)).toEqual(first);
    expect(await textsFor('twice')).toEqual(['m', 'n']);
  });

  it('neither hears nor keeps the text of a handled message that comes again', async () => {
    const placed = { item: message('erased', 'm', 'a secret'), shard };
    await inbox.post(placed);
    await inbox.settle('erased', ['m'], now);
    await inbox.post(placed);
    await inbox.put([placed]);
    expect(await textsFor('erased')).toEqual([]);
    const row = await mongo.db.collection<{ _id: string }>('inbox').findOne({ _id: 'erased/m' });
    expect(JSON.stringify(row)).not.toContain('a secret');
  });

  it('takes texts for what they are, even if they look like expressions', async () => {
    await inbox.post({ item: message('literal', 'm', '$$ROOT'), shard });
    expect(await textsFor('literal')).toEqual(['$$ROOT']);
  });
});
