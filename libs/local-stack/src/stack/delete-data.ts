import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  adminHeaderFile,
  credentialsFile,
  natsPasswordsFile,
  vaultKeyFile,
} from '../credentials/credentials-file';

/** What runs leave in the data folder; nothing else in there may be deleted. */
const entries = [
  'mongo',
  'mongo-config',
  'mongo-router',
  'mongo-shard-1',
  'mongo-shard-2',
  'nats',
  'nats-1',
  'nats-2',
  'nats-3',
  'logs',
  'users',
  credentialsFile,
  adminHeaderFile,
  natsPasswordsFile,
  vaultKeyFile,
];

/** Deletes the data of earlier runs. The caller must have claimed the folder. */
export async function deleteData(dataDir: string): Promise<void> {
  await Promise.all(
    entries.map((entry) => rm(join(dataDir, entry), { recursive: true, force: true })),
  );
}
