/** How many subusers an owner may have at once, and create per day. */
export interface SubuserLimits {
  readonly living: number;
  /** Deleted subusers leave a tombstone, so creating and deleting in turn must be limited. */
  readonly perDay: number;
}

/** The largest possible limit, because a user and all its subusers are deleted in one transaction. */
export const maxLivingSubusers = 1_000;

/** How many times as many subusers an owner may create per day as it may have at once. */
const dailyFactor = 10;

export function subuserLimits(living: number): SubuserLimits {
  return { living, perDay: living * dailyFactor };
}

/** How many subusers an owner created on the last day on which it created any. */
export interface SubusersMade {
  /** In UTC, e.g. 2026-11-17. */
  readonly day: string;
  readonly count: number;
}

/** Returns the count after one more subuser is created at the given time. */
export function countCreation(made: SubusersMade | undefined, at: Date): SubusersMade {
  const day = at.toISOString().slice(0, 10);
  return { day, count: made?.day === day ? made.count + 1 : 1 };
}

export function tooManyToday({ count }: SubusersMade, { perDay }: SubuserLimits): boolean {
  return count > perDay;
}

/** Returns the time until the next day, in UTC, when the count starts again. */
export function msUntilNextDay(at: Date): number {
  const next = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1);
  return next - at.getTime();
}
