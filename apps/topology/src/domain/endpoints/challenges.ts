interface Challenge {
  readonly scheme: string;
  /** As the target wrote it. */
  readonly text: string;
}

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
const parameter = new RegExp(`^${token}\\s*=\\s*("(?:[^"\\\\]|\\\\.)*"|${token})$`, 'i');
const opening = new RegExp(`^(${token})(?:\\s+\\S.*)?$`, 'i');

/**
 * Returns an endpoint's own realm. A browser does not answer a challenge with a password saved for a different realm.
 */
export function realmOf(endpointId: string): string {
  return `endpoint ${endpointId}`;
}

export function basicChallenge(endpointId: string): string {
  return `Basic realm="${realmOf(endpointId)}", charset="UTF-8"`;
}

/**
 * Reduces a target's challenges to what a visitor may receive. All endpoints share one origin, so a target that could
 * choose its realm could ask for another endpoint's password; a `Basic` challenge therefore gets the endpoint's own
 * realm. `Bearer` challenges are kept, because scripts respond to them, but browsers do not. Challenges with other
 * schemes, and headers that cannot be parsed, are dropped.
 */
export function confineChallenges(value: string, endpointId: string): string[] {
  const confined = parseChallenges(value)?.map((each) => confine(each, endpointId)) ?? [];
  return [...new Set(confined.filter((each) => each !== undefined))];
}

function confine({ scheme, text }: Challenge, endpointId: string): string | undefined {
  if (scheme === 'basic') return basicChallenge(endpointId);
  return scheme === 'bearer' ? text : undefined;
}

/** Undefined when the header is malformed (RFC 9110, 11.6.1). */
function parseChallenges(value: string): Challenge[] | undefined {
  const challenges: Challenge[] = [];
  for (const part of splitList(value)) {
    const last = challenges.at(-1);
    if (parameter.test(part)) {
      if (!last) return undefined;
      challenges[challenges.length - 1] = { ...last, text: `${last.text}, ${part}` };
      continue;
    }
    const scheme = opening.exec(part)?.[1];
    if (scheme === undefined) return undefined;
    challenges.push({ scheme: scheme.toLowerCase(), text: part });
  }
  return challenges;
}

/** Splits a comma-separated list, ignoring commas in quoted strings. */
function splitList(value: string): string[] {
  const parts: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (character === '"') isQuoted = !isQuoted;
    if (character === '\\' && isQuoted) at += 1;
    if (character !== ',' || isQuoted) continue;
    parts.push(value.slice(start, at));
    start = at + 1;
  }
  parts.push(value.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
