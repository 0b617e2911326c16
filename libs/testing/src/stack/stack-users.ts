import os from 'node:os';
import { ensureMongoUsers, generateSecret, urlFor, type ServiceName } from '@daycare/local-stack';
import { MongoClient } from 'mongodb';

/** Gives each service of a stack a MongoDB user for its own database, as in production; returns their addresses. */
export async function createStackUsers(
  adminUrl: string,
  services: readonly ServiceName[],
  databaseOf: (name: ServiceName) => string,
): Promise<(name: ServiceName) => string> {
  const users = services.map((name) => {
    const database = databaseOf(name);
    return { name: database, password: generateSecret(), database };
  });
  const client = new MongoClient(adminUrl, { runtimeAdapters: { os } });
  try {
    await ensureMongoUsers(client, users);
  } finally {
    await client.close();
  }
  const bare = adminUrl.replace(/\/\/[^/@]*@/, '//');
  return (name) =>
    urlFor(
      bare,
      users.find((user) => user.database === databaseOf(name))!,
    );
}
