/** How many shards a replica has to acquire or release to hold its share; one of the two is 0. */
export interface ShareAdjustment {
  readonly acquire: number;
  readonly release: number;
}

/** The most shards that one of so many live replicas may hold. Together they can hold all. */
export function fairShare(shards: number, replicas: number): number {
  return Math.ceil(shards / Math.max(1, replicas));
}

export function adjustShare(held: number, share: number): ShareAdjustment {
  return { acquire: Math.max(0, share - held), release: Math.max(0, held - share) };
}
