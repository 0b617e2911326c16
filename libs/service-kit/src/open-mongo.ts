import { AppError } from '@daycare/errors';
import {
  connectMongo,
  ensureIndexes,
  type CollectionIndexes,
  type MongoConnection,
} from '@daycare/mongo';
import { withoutPassword } from './env-reader';
import type { ServiceKit } from './run-service';
import type { MongoConfig } from './service-config';

/**
 * Connects, ensures the declared indexes and registers the closing. A database that cannot be
 * reached stops the start with a sentence that says where it was looked for.
 */
export async function openMongo(
  config: MongoConfig,
  appName: string,
  indexes: readonly CollectionIndexes[],
  { stop }: Pick<ServiceKit, 'stop'>,
): Promise<MongoConnection> {
  const { mongoUrl: url, mongoDatabase: database } = config;
  try {
    const connection = await connectMongo({ url, database, appName });
    stop.add('close', 'mongo', () => connection.close());
    await ensureIndexes(connection.db, indexes);
    return connection;
  } catch (cause) {
    const where = withoutPassword(url);
    const why = cause instanceof Error ? cause.message : String(cause);
    const text = `cannot use MongoDB at ${where} (DAYCARE_MONGO_URL): ${why}`;
    throw new AppError('UNAVAILABLE', text, {}, { cause });
  }
}
