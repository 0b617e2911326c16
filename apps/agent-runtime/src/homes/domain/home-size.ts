const blockBytes = 4_096;

/** A user's usage or limit. */
export interface HomeSize {
  readonly bytes: number;
  /** Files, folders and anything else with a name; Infinity when there are too many to count. */
  readonly entries: number;
}

export const noSize: HomeSize = { bytes: 0, entries: 0 };

/** Limited because counting takes time for each entry, whatever its size. */
export const maxEntries = 50_000;

/**
 * Returns how many bytes of the quota an entry of this size uses: whole blocks, as on disk, so empty files and folders
 * are not free.
 */
export function bytesCounted(size: number): number {
  return Math.max(1, Math.ceil(size / blockBytes)) * blockBytes;
}

export function addSizes(one: HomeSize, other: HomeSize): HomeSize {
  return { bytes: one.bytes + other.bytes, entries: one.entries + other.entries };
}

/** Reports whether there is space for more. */
export function hasRoomLeft({ bytes, entries }: HomeSize, limits: HomeSize): boolean {
  return bytes < limits.bytes && entries < limits.entries;
}

/** Space that is reserved from before a write until the write is settled. */
export interface Reservation extends HomeSize {
  readonly id: string;
  readonly at: Date;
}

const minuteMs = 60_000;
/** An interrupted upload is deleted after a day, by a cleanup that runs every hour. */
const forgottenAfterMs = { directory: 10 * minuteMs, uploads: 26 * 60 * minuteMs };

/** Returns the reservations that may still be in use; the process that made an older one must have been interrupted. */
export function stillPending(
  pending: readonly Reservation[],
  now: Date,
  kind: keyof typeof forgottenAfterMs = 'directory',
): readonly Reservation[] {
  return pending.filter(({ at }) => now.getTime() - at.getTime() < forgottenAfterMs[kind]);
}
