import type { FileCollector } from '../store/file-collector';

export interface CollectFilesDeps {
  readonly collector: Pick<FileCollector, 'collect'>;
  readonly now: () => Date;
  /**
   * How long a file waits for a message to refer to it, how long an upload may take, and how long the document of a
   * deleted file is kept.
   */
  readonly unreferencedAfterMs?: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Deletes unreferenced files, and the remains of deleted files and of uploads; returns how many. Every replica may run
 * it periodically.
 */
export function makeCollectFiles({
  collector,
  now,
  unreferencedAfterMs = dayMs,
}: CollectFilesDeps) {
  return (): Promise<number> => collector.collect(new Date(now().getTime() - unreferencedAfterMs));
}
