/** How many shards a replica has to acquire or release to have its share; at least one of the two is 0. */
export interface ShareAdjustment {
  readonly acquire: number;
  readonly release: number;
}

/**
 * Returns the maximum number of shards per live replica: just enough that the replicas together can hold them all.
 */
export function fairShare(shards: number, replicas: number): number {
  return Math.ceil(shards / Math.max(1, replicas));
}

/** Returns how a replica that holds `held` shards reaches its share. */
export function adjustShare(held: number, share: number): ShareAdjustment {
  return { acquire: Math.max(0, share - held), release: Math.max(0, held - share) };
}

/** A shard that may be handed over. */
export interface HeldShard {
  /** How many turns are running in it. */
  readonly turns: number;
  /** Whether a recent attempt to hand it over failed because its turns did not end. */
  readonly wasTriedRecently: boolean;
}

/**
 * Chooses the shards to hand over when a replica has too many: idle ones first, then at most `maxBusy` of
 * those with the fewest running turns, except those that were tried recently.
 */
export function chooseReleases<T extends HeldShard>(
  held: readonly T[],
  excess: number,
  maxBusy: number,
): readonly T[] {
  // The shards acquired last come first: they have been here for the shortest time.
  const newest = [...held].reverse();
  const idle = newest.filter(({ turns }) => turns === 0).slice(0, excess);
  const busy = newest
    .filter(({ turns, wasTriedRecently }) => turns > 0 && !wasTriedRecently)
    .sort((a, b) => a.turns - b.turns);
  return [...idle, ...busy.slice(0, Math.min(maxBusy, excess - idle.length))];
}
