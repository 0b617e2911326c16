import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@daycare/api';

/** The backup format that this version of Daycare writes; it also reads older formats. */
export const backupFormat = 1;

/** A file in a backup, by its path in the folder. */
export interface BackupPart {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The number of BSON documents in the file; 1 for a key. */
  readonly entries: number;
}

/** The file with one of a service's collections. */
export interface CollectionPart extends BackupPart {
  readonly service: string;
  readonly collection: string;
}

/** The file with all users' files. */
export interface UsersPart extends BackupPart {
  /** The paths of the first files and folders that could not be read; they are missing or truncated. */
  readonly unread?: readonly string[];
  /** How many files and folders could not be read in total. */
  readonly unreadCount?: number;
}

/** Lists everything in a backup. It is written last, so a folder without a manifest is not a complete backup. */
export interface Manifest {
  readonly format: number;
  /** The version of Daycare that made the backup. */
  readonly version: string;
  readonly startedAt: string;
  /** The cluster time as of which all collections were read. */
  readonly clusterTime: string;
  readonly collections: readonly CollectionPart[];
  /** Undefined if users' files were not backed up. */
  readonly users?: UsersPart;
  readonly keys: readonly BackupPart[];
}

const manifestFile = 'manifest.json';

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draftFile = join(folder, `.${manifestFile}.half`);
  await writeFile(draftFile, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await rename(draftFile, join(folder, manifestFile));
}

/**
 * Returns a backup's manifest. Throws if the manifest cannot be read or has a newer format, or if a file is missing or
 * has a different checksum from the one that the manifest states.
 */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  for (const part of partsOf(manifest)) await verifyPart(folder, part);
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch((cause: unknown) => {
    throw refusal(`${folder} is not a complete backup: ${manifestFile} cannot be read`, cause);
  });
  const manifest = parse(text);
  if (!manifest) throw refusal(`${join(folder, manifestFile)} is not the manifest of a backup`);
  if (manifest.format <= backupFormat) return manifest;
  throw refusal(
    `${folder} was made by Daycare ${manifest.version} in format ${manifest.format}; this version reads formats up to ${backupFormat}`,
  );
}

function parse(text: string): Manifest | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<Manifest> | null;
    return typeof parsed?.format === 'number' && Array.isArray(parsed.collections)
      ? (parsed as Manifest)
      : undefined;
  } catch {
    return undefined;
  }
}

export function partsOf({ collections, users, keys }: Manifest): readonly BackupPart[] {
  return [...collections, ...(users ? [users] : []), ...keys];
}

const expectedKeys = ['vault-key', 'credentials.json'] as const;
export type MissingPart = 'users-dir' | (typeof expectedKeys)[number];

/** Parts that every installation has, but this backup lacks because their location was not given. */
export function missingParts({ users, keys }: Manifest): readonly MissingPart[] {
  const files = new Set(keys.map(({ file }) => file));
  const missing = expectedKeys.filter((name) => !files.has(`keys/${name}`));
  return users ? missing : ['users-dir', ...missing];
}

async function verifyPart(folder: string, { file, sha256 }: BackupPart): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, file)), hash).catch((cause: unknown) => {
    throw refusal(`${join(folder, file)} cannot be read`, cause);
  });
  if (hash.digest('hex') !== sha256)
    throw refusal(`${join(folder, file)} is damaged: its checksum differs from the manifest`);
}

/** Creates the error for a problem with the backup or its target that the operator has to solve. */
export function refusal(text: string, cause?: unknown): AppError {
  return new AppError('FAILED_PRECONDITION', text, {}, { cause });
}
