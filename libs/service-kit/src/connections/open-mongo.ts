import { AppError } from '@daycare/api';
import {
  connectMongo,
  ensureIndexes,
  type CollectionIndexes,
  type MongoConnection,
} from '@daycare/mongo';
import { withoutPassword } from '../config/env-reader';
import type { ServiceKit } from '../process/run-service';
import type { MongoConfig } from '../config/service-config';

/**
 * Connects, ensures the declared indexes and registers the shutdown step. The error for an unreachable
 * database says where it was expected.
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
