export interface Rate {
  /** How many in the long run. */
  readonly perSecond: number;
  /** How many at once after a pause. */
  readonly burst: number;
}

export interface Bucket {
  readonly tokens: number;
  /** In epoch milliseconds. */
  readonly filledAt: number;
}

/** What a bucket holds by now; one that nobody has used is full. */
export function refill(bucket: Bucket | undefined, { perSecond, burst }: Rate, at: number): Bucket {
  if (!bucket) return { tokens: burst, filledAt: at };
  const earned = (Math.max(at - bucket.filledAt, 0) / 1000) * perSecond;
  return { tokens: Math.min(burst, bucket.tokens + earned), filledAt: at };
}

/** How long until there is something in it again; 0 when there is. */
export function waitMs({ tokens }: Bucket, { perSecond }: Rate): number {
  return tokens >= 1 ? 0 : ((1 - tokens) / perSecond) * 1000;
}
