import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupSource } from '@daycare/local-stack';
import { serviceNames } from '@daycare/local-stack';
import type { TestStack } from '@daycare/testing';

type Databases = Pick<TestStack, 'mongoUrl' | 'databaseOf' | 'usersDir'>;

/** Returns the options of `daycare backup` and `restore` for a test stack. */
export function backupOptions({ databaseOf, usersDir }: Databases, credentials: string): string[] {
  const databases = serviceNames.flatMap((name) => ['--database', `${name}=${databaseOf(name)}`]);
  return [...databases, '--users-dir', usersDir, '--key', `credentials.json=${credentials}`];
}

/** Returns the same options for calling the backup functions directly. */
export function backupSource(stack: Databases, credentials: string): BackupSource {
  return {
    mongoUrl: stack.mongoUrl,
    databases: serviceNames.map((service) => ({ service, database: stack.databaseOf(service) })),
    usersDir: stack.usersDir,
    keys: { 'credentials.json': credentials },
  };
}

/** Writes a stack's credentials to a file, as a real installation has them; returns the file's path. */
export async function writeCredentials({ credentials, folder }: TestStack): Promise<string> {
  const file = join(folder, 'credentials.json');
  await writeFile(file, JSON.stringify(credentials));
  return file;
}
