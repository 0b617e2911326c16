import { Gauge } from 'prom-client';
import { AppError } from '@daycare/api';
import {
  connectMongo,
  ensureIndexes,
  type CollectionIndexes,
  type MongoConnection,
} from '@daycare/mongo';
import { withoutPassword } from '../config/env-reader';
import { checkFormat } from '../process/check-format';
import type { ServiceKit } from '../process/run-service';
import type { MongoConfig } from '../config/service-config';

/**
 * Connects, checks the data format, ensures the declared indexes and registers the shutdown step. Errors name the
 * database's URL, without the password.
 */
export async function openMongo(
  config: MongoConfig,
  appName: string,
  indexes: readonly CollectionIndexes[],
  { stop, metrics }: Pick<ServiceKit, 'stop' | 'metrics'>,
): Promise<MongoConnection> {
  const { mongoUrl: url, mongoDatabase: database } = config;
  try {
    const connection = await connectMongo({ url, database, appName });
    stop.add('close', 'mongo', () => connection.close());
    registerState(connection, metrics);
    await checkFormat(connection.db);
    await ensureIndexes(connection.db, indexes);
    return connection;
  } catch (cause) {
    const where = withoutPassword(url);
    const why = cause instanceof Error ? cause.message : String(cause);
    const text = `cannot use MongoDB at ${where} (DAYCARE_MONGO_URL): ${why}`;
    throw new AppError('UNAVAILABLE', text, {}, { cause });
  }
}

function registerState(connection: MongoConnection, { registry }: ServiceKit['metrics']): void {
  new Gauge({
    name: 'daycare_mongo_connected',
    help: 'Whether a MongoDB server accepts writes',
    registers: [registry],
    collect() {
      this.set(connection.hasPrimary() ? 1 : 0);
    },
  });
}
