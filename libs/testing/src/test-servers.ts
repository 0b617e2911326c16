import { withNatsUser, type NatsPasswords, type ServiceName } from '@daycare/local-stack';
import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { uniqueName } from './unique-name';

/** Returns the URL of this Jest run's MongoDB. Only for `*.int.spec.ts` and `*.e2e.spec.ts`. */
export function testMongoUrl(): string {
  return readServerUrl('DAYCARE_TEST_MONGO_URL');
}

/**
 * Returns the URL of this Jest run's NATS, for a user that has its own account and all rights in it. All tests share
 * this account, so they must use unique stream and subject names.
 */
export function testNatsUrl(): string {
  return readServerUrl('DAYCARE_TEST_NATS_URL');
}

/**
 * Returns the URL with which a service connects to this Jest run's NATS, with the rights that the service has in every
 * installation.
 */
export function testNatsUrlOf(service: ServiceName): string {
  const url = new URL(testNatsUrl());
  const passwords = testNatsPasswords();
  url.username = url.password = '';
  return passwords ? withNatsUser(url.href, service, passwords) : testNatsUrl();
}

/** Returns the services' passwords for this Jest run's NATS; undefined when that server was already running. */
export function testNatsPasswords(): NatsPasswords | undefined {
  const passwords = process.env['DAYCARE_TEST_NATS_PASSWORDS'];
  return passwords ? (JSON.parse(passwords) as NatsPasswords) : undefined;
}

/** Connects to a separate database, which is dropped when the connection is closed. */
export async function testDatabase(prefix = 'test'): Promise<MongoConnection> {
  const connection = await connectMongo({
    url: testMongoUrl(),
    database: uniqueName(prefix),
    appName: 'daycare-test',
  });
  return {
    ...connection,
    async close() {
      await connection.db.dropDatabase();
      await connection.close();
    },
  };
}

function readServerUrl(variable: string): string {
  const url = process.env[variable];
  if (url) return url;
  throw new Error(
    `${variable} is not set: servers run only for projects with *.int.spec.ts or *.e2e.spec.ts files`,
  );
}
