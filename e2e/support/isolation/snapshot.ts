import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceNames } from '@daycare/local-stack';
import { connectMongo } from '@daycare/mongo';
import type { TestStack } from '@daycare/testing';
import type { Document } from 'mongodb';
import type { World } from './world';

/** All documents and files of a user, by collection and id or by path. */
export type Snapshot = ReadonlyMap<string, string>;

/** Collects every document that contains an id or the secret of the victim, and the victim's files. */
export async function takeSnapshot(stack: TestStack, world: World): Promise<Snapshot> {
  const documents = await Promise.all(serviceNames.map((name) => documentsIn(stack, name, world)));
  const folder = join(stack.usersDir, world.things.userId);
  return new Map([...documents.flat(), ...(await filesIn(folder))]);
}

async function documentsIn(
  stack: TestStack,
  service: (typeof serviceNames)[number],
  { things, secret, attackers }: World,
): Promise<[string, string][]> {
  const mongo = await connectMongo({
    url: stack.mongoUrl,
    database: stack.databaseOf(service),
    appName: 'daycare-test',
  });
  const marks = [things.userId, things.subuserId, things.agentId, things.gatewayId, secret];
  const isOfAttackers = (text: string) => attackers.some(({ agentId }) => text.includes(agentId));
  const found: [string, string][] = [];
  for (const { collectionName } of await mongo.db.collections()) {
    if (collectionName === 'guest_turns') continue; // A replica returns unused permits when its shards move.
    for await (const document of mongo.db.collection(collectionName).find()) {
      const text = JSON.stringify(
        collectionName === 'homes' ? ownUsage(document, things) : document,
      );
      const key = `${service} ${collectionName} ${JSON.stringify(document._id)}`;
      const isOfVictim = marks.some((mark) => text.includes(mark));
      if (isOfVictim && !isOfAttackers(text)) found.push([key, text]);
    }
  }
  await mongo.close();
  return found;
}

/** The account without the usage of the owner's other subusers, which is not part of the victim's data. */
function ownUsage(account: Document, { userId, subuserId }: World['things']): Document {
  const parts = Object.entries<object>(account['parts'] ?? {});
  const own = parts.filter(([name]) => name.startsWith(userId) || name.startsWith(subuserId));
  return { _id: account['_id'], parts: Object.fromEntries(own) };
}

async function filesIn(folder: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }): Promise<[string, string]> => {
      const path = join(parentPath, name);
      return [path, await readFile(path, 'utf8')];
    }),
  );
}
