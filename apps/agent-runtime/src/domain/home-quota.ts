const blockBytes = 4_096;

/** How much a user has, or may have. */
export interface HomeSize {
  readonly bytes: number;
  /** Files, folders and whatever else has a name; Infinity when there are too many to be counted. */
  readonly entries: number;
}

export const noSize: HomeSize = { bytes: 0, entries: 0 };

/** Counting takes time for each, whatever its size. */
export const mostEntries = 50_000;

/** What an entry of a user's tree counts, as on a disk: empty files and folders are not free. */
export function bytesCounted(size: number): number {
  return Math.max(1, Math.ceil(size / blockBytes)) * blockBytes;
}

export function addSizes(one: HomeSize, other: HomeSize): HomeSize {
  return { bytes: one.bytes + other.bytes, entries: one.entries + other.entries };
}

/** Whether there may be more. */
export function hasRoomLeft({ bytes, entries }: HomeSize, limits: HomeSize): boolean {
  return bytes < limits.bytes && entries < limits.entries;
}

/** Room taken before a write, until it is settled. */
export interface Reservation extends HomeSize {
  readonly id: string;
  readonly at: Date;
}

const forgottenAfterMs = 10 * 60_000;

/** Those that may still be under way; the process that made an older one was cut off. */
export function stillPending(pending: readonly Reservation[], now: Date): readonly Reservation[] {
  return pending.filter(({ at }) => now.getTime() - at.getTime() < forgottenAfterMs);
}
