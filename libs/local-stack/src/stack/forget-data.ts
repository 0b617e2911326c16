import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { adminHeaderFile, credentialsFile } from '../credentials/credentials-file';

/** What a run leaves in the data folder; nothing else in there is ours to remove. */
const keptBetweenRuns = ['mongo', 'nats', 'logs', 'users', credentialsFile, adminHeaderFile];

/** Removes what earlier runs have kept. The caller must have claimed the folder. */
export async function forgetData(dataDir: string): Promise<void> {
  await Promise.all(
    keptBetweenRuns.map((entry) => rm(join(dataDir, entry), { recursive: true, force: true })),
  );
}
