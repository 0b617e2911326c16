import type { FileStore } from '../store/file-store';

export interface CollectFilesDeps {
  readonly files: FileStore;
  readonly now: () => Date;
  /** How long a file waits for a message to refer to it, and how long an upload may take. */
  readonly unreferencedAfterMs?: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Deletes files that no message refers to. Run periodically by any replica; returns how many. */
export function makeCollectFiles({ files, now, unreferencedAfterMs = dayMs }: CollectFilesDeps) {
  return (): Promise<number> => files.collect(new Date(now().getTime() - unreferencedAfterMs));
}
