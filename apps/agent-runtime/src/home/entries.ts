import type { Stats } from 'node:fs';
import { chmod } from 'node:fs/promises';
import type { Pin } from './pin';

const atOnce = 32;

export interface Entry {
  readonly name: Buffer;
  readonly stats: Stats;
}

/** What is in a folder, in no order; what vanishes meanwhile is left out. */
export async function* entriesOf(folder: Pin): AsyncGenerator<Entry, void> {
  let batch: Buffer[] = [];
  for await (const name of folder.names()) {
    batch.push(name);
    if (batch.length < atOnce) continue;
    yield* await statAll(folder, batch);
    batch = [];
  }
  yield* await statAll(folder, batch);
}

/** Waits for all of them whatever happens, since the folder may be let go of afterwards. */
async function statAll(folder: Pin, names: readonly Buffer[]): Promise<Entry[]> {
  const found = await Promise.allSettled(
    names.map(async (name) => ({ name, stats: await folder.statOf(name) })),
  );
  return found.flatMap((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    const { name, stats } = outcome.value;
    return stats ? [{ name, stats }] : [];
  });
}

/** Programs may have locked a folder of theirs, which neither hides it nor keeps it. */
export async function unlock(folder: Pin): Promise<void> {
  if ((folder.stats.mode & 0o700) !== 0o700) await chmod(folder.path, 0o700);
}
