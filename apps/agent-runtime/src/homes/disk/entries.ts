import type { Stats } from 'node:fs';
import { chmod } from 'node:fs/promises';
import type { Pin } from './pin';

const batchSize = 32;

export interface Entry {
  readonly name: Buffer;
  readonly stats: Stats;
}

/** Yields a folder's entries, unordered; omits entries that vanish in the meantime. */
export async function* entriesOf(folder: Pin): AsyncGenerator<Entry, void> {
  let batch: Buffer[] = [];
  for await (const name of folder.names()) {
    batch.push(name);
    if (batch.length < batchSize) continue;
    yield* await statAll(folder, batch);
    batch = [];
  }
  yield* await statAll(folder, batch);
}

/** Waits for every entry even if one fails, because the caller may close the folder as soon as this returns. */
async function statAll(folder: Pin, names: readonly Buffer[]): Promise<Entry[]> {
  const outcomes = await Promise.allSettled(
    names.map(async (name) => ({ name, stats: await folder.statOf(name) })),
  );
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    const { name, stats } = outcome.value;
    return stats ? [{ name, stats }] : [];
  });
}

/** Restores the owner's permissions on a folder, so that no program can hide or protect it by removing them. */
export async function unlock(folder: Pin): Promise<void> {
  if ((folder.stats.mode & 0o700) !== 0o700) await chmod(folder.path, 0o700);
}
