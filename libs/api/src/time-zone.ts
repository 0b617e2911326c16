const zoneName = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const maxZoneLength = 64;

/** Reports whether a name is an IANA time zone; an offset such as `+02:00` is not. */
export function isTimeZone(name: string): boolean {
  if (name.length > maxZoneLength || !zoneName.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}
