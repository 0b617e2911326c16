import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusal, type BackupPart } from './manifest';

/**
 * The secrets that a backup contains besides the databases, by their names in the backup. The keys that sign tokens are
 * not among them, because they are in identity's database.
 */
export const keyNames = ['vault-key', 'credentials.json', 'edge-secret-key'] as const;
export type KeyName = (typeof keyNames)[number];

/** The files that contain the keys of a stack. */
export type KeyFiles = Readonly<Partial<Record<KeyName, string>>>;

export async function copyKeys(files: KeyFiles, folder: string): Promise<BackupPart[]> {
  const parts: BackupPart[] = [];
  await mkdir(join(folder, 'keys'), { recursive: true, mode: 0o700 });
  for (const [name, source] of Object.entries(files)) {
    const content = await readFile(source);
    const file = `keys/${name}`;
    await writeFile(join(folder, file), content, { mode: 0o600, flag: 'wx' });
    const sha256 = createHash('sha256').update(content).digest('hex');
    parts.push({ file, bytes: content.length, sha256, entries: 1 });
  }
  return parts;
}

/** Throws if a different key exists where one is to be restored, or if `files` does not say where a key belongs. */
export async function requireNoOtherKeys(
  parts: readonly BackupPart[],
  files: KeyFiles,
): Promise<void> {
  for (const part of parts) {
    const target = targetOf(part, files);
    const existing = await readFile(target).catch(ignoreAbsent);
    if (existing === undefined) continue;
    const isSame = createHash('sha256').update(existing).digest('hex') === part.sha256;
    if (!isSame)
      throw refusal(
        `${target} contains a different key from the one in the backup; move it elsewhere first`,
      );
  }
}

export async function restoreKeys(
  parts: readonly BackupPart[],
  files: KeyFiles,
  folder: string,
): Promise<void> {
  for (const part of parts) {
    const target = targetOf(part, files);
    if (await stat(target).catch(ignoreAbsent)) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, await readFile(join(folder, part.file)), { flag: 'wx', mode: 0o600 });
    await chmod(target, 0o600);
  }
}

function ignoreAbsent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function targetOf({ file }: BackupPart, files: KeyFiles): string {
  const name = file.slice('keys/'.length);
  const target = files[name as KeyName];
  if (target === undefined)
    throw refusal(`The backup contains ${name}; say where it belongs with --key ${name}=FILE`);
  return target;
}
