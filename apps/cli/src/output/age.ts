const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** Says how long ago a time was, in the largest unit, e.g. `3h`; a future time is `in 3h`. Empty without a time. */
export function toAge(time: Date | undefined, now: Date): string {
  if (!time) return '';
  const ms = now.getTime() - time.getTime();
  const [unit, size] = units.find(([, unitMs]) => Math.abs(ms) >= unitMs) ?? ['s', 1_000];
  const count = `${Math.floor(Math.abs(ms) / size)}${unit}`;
  return ms < 0 && count !== '0s' ? `in ${count}` : count;
}
