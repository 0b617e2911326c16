import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceNames } from '@daycare/local-stack';
import { connectMongo } from '@daycare/mongo';
import type { TestStack } from '@daycare/testing';
import type { Document } from 'mongodb';
import type { World } from './world';

/** A user's documents, by service, collection and id, and the user's files, by path. */
export type Snapshot = ReadonlyMap<string, string>;

/**
 * Collects the victim's files, and every document that contains the secret or one of the victim's ids unless the
 * document also names an attacker's agent.
 */
export async function takeSnapshot(stack: TestStack, world: World): Promise<Snapshot> {
  const documents = await Promise.all(serviceNames.map((name) => documentsIn(stack, name, world)));
  const folder = join(stack.usersDir, world.resources.userId);
  return new Map([...documents.flat(), ...(await filesIn(folder))]);
}

async function documentsIn(
  stack: TestStack,
  service: (typeof serviceNames)[number],
  { resources, secret, attackers }: World,
): Promise<[string, string][]> {
  const mongo = await connectMongo({
    url: stack.mongoUrl,
    database: stack.databaseOf(service),
    appName: 'daycare-test',
  });
  const victimTexts = [
    resources.userId,
    resources.subuserId,
    resources.agentId,
    resources.gatewayId,
    secret,
  ];
  const namesAttacker = (text: string) => attackers.some(({ agentId }) => text.includes(agentId));
  const matching: [string, string][] = [];
  for (const { collectionName } of await mongo.db.collections()) {
    // Replicas change these at any time: they return unused permits when shards move.
    if (collectionName === 'guest_turns') continue;
    for await (const document of mongo.db.collection(collectionName).find()) {
      const text = JSON.stringify(
        collectionName === 'homes' ? ownUsage(document, resources) : document,
      );
      const key = `${service} ${collectionName} ${JSON.stringify(document._id)}`;
      const namesVictim = victimTexts.some((victimText) => text.includes(victimText));
      if (namesVictim && !namesAttacker(text)) matching.push([key, text]);
    }
  }
  await mongo.close();
  return matching;
}

/**
 * Reduces a document of `homes` to the storage usage of the victim and of the subuser under test; attackers use the
 * victim's other subusers, whose usage also changes the totals.
 */
function ownUsage(home: Document, { userId, subuserId }: World['resources']): Document {
  const parts = Object.entries<object>(home['parts'] ?? {});
  const own = parts.filter(([name]) => name.startsWith(userId) || name.startsWith(subuserId));
  return { _id: home['_id'], parts: Object.fromEntries(own) };
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
