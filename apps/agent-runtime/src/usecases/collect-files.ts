import type { FileStore } from '../store/file-store';

export interface CollectFilesDeps {
  readonly files: FileStore;
  readonly now: () => Date;
  /** How long a file waits for a message to carry it, and how long an upload may take. */
  readonly unreferencedAfterMs?: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Removes files that no message carries. To be run now and then by any replica; returns how many. */
export function makeCollectFiles({ files, now, unreferencedAfterMs = dayMs }: CollectFilesDeps) {
  return (): Promise<number> => files.collect(new Date(now().getTime() - unreferencedAfterMs));
}
