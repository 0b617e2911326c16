/** What a replica has to do to hold its share of the shards; one of the two is always 0. */
export interface ShareMove {
  readonly acquire: number;
  readonly giveBack: number;
}

/** The most shards one of so many live replicas may hold. Together they can hold all. */
export function fairShare(shards: number, replicas: number): number {
  return Math.ceil(shards / Math.max(1, replicas));
}

/** Compares what a replica holds with its share. */
export function decideMove(held: number, share: number): ShareMove {
  return { acquire: Math.max(0, share - held), giveBack: Math.max(0, held - share) };
}
