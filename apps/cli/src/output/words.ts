/** A value of a contract's enum for people: `AGENT_LIFECYCLE_ACTIVE` is `active`. */
export function toWord(prefix: string, value: string): string {
  const word = value.startsWith(`${prefix}_`) ? value.slice(prefix.length + 1) : value;
  return word === 'UNSPECIFIED' ? '' : word.toLowerCase();
}

/** To the second, in UTC, as everywhere in Daycare; empty without a time. */
export function toTime(time: Date | undefined): string {
  return time ? time.toISOString().replace(/\.\d+Z$/, 'Z') : '';
}

export function toYesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
