const blockBytes = 4_096;

/** What an entry of a user's tree counts, as on a disk: empty files and folders are not free. */
export function bytesCounted(size: number): number {
  return Math.max(1, Math.ceil(size / blockBytes)) * blockBytes;
}

/** Room taken before a write, until it is settled. */
export interface Reservation {
  readonly id: string;
  readonly bytes: number;
  readonly at: Date;
}

const forgottenAfterMs = 10 * 60_000;

/** Those that may still be under way; the process that made an older one was cut off. */
export function stillPending(pending: readonly Reservation[], now: Date): readonly Reservation[] {
  return pending.filter(({ at }) => now.getTime() - at.getTime() < forgottenAfterMs);
}
