import os from 'node:os';
import {
  ensureMongoUsers,
  generateSecret,
  withMongoUser,
  type AppName,
} from '@daycare/local-stack';
import { MongoClient } from 'mongodb';

/**
 * Gives each service in a stack a MongoDB user for its own database, as in production. The result maps a service to its
 * MongoDB URL.
 */
export async function createStackUsers(
  adminUrl: string,
  services: readonly AppName[],
  databaseOf: (name: AppName) => string,
): Promise<(name: AppName) => string> {
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
    withMongoUser(
      bare,
      users.find((user) => user.database === databaseOf(name))!,
    );
}
