import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { safeLine } from '../output/safe-text';
import { shortId } from '../output/short-id';

/** What a person may call an object: its id and its names. */
export interface Named {
  readonly id: string;
  readonly names: readonly string[];
}

/** What is searched, and the command that lists it. */
export interface Kind {
  readonly noun: string;
  readonly listedBy: string;
}

/** A shorter prefix is more likely to be a mistake. */
const minPrefix = 4;
const maxCandidates = 5;

/**
 * Finds the object that a person means. Compares the text, in this order, with ids, with names, with names in any case,
 * and, if it has at least four characters, with the beginnings of ids and of names. The first comparison that finds any
 * object decides. Throws if it finds several, or if none finds any.
 */
export function pick<T extends Named>(text: string, all: readonly T[], kind: Kind): T {
  const found = findNamed(text, all, kind);
  if (found) return found;
  throw notFound(text, kind);
}

export function notFound(text: string, { noun, listedBy }: Kind): Failure {
  return new Failure(
    exitCodes.notFound,
    `There is no ${noun} "${text}".`,
    `Run "${listedBy}" to see what there is.`,
  );
}

/** Like `pick`, but undefined when nothing matches. With `isExact`, a prefix of a name does not match. */
export function findNamed<T extends Named>(
  text: string,
  all: readonly T[],
  kind: Kind,
  isExact = false,
): T | undefined {
  for (const matches of matchers(text, isExact)) {
    const matching = all.filter(matches);
    const [first, ...others] = matching;
    if (first && others.length > 0) throw ambiguous(text, matching, kind);
    if (first) return first;
  }
  return undefined;
}

function matchers(text: string, isExact: boolean): ((each: Named) => boolean)[] {
  const lower = text.toLowerCase();
  const isLong = text.length >= minPrefix;
  return [
    ({ id }) => id === text,
    ({ names }) => names.includes(text),
    ({ names }) => names.some((name) => name.toLowerCase() === lower),
    ({ id }) => isLong && id.startsWith(text),
    ({ names }) => isLong && !isExact && names.some((name) => name.toLowerCase().startsWith(lower)),
  ];
}

/** Returns the failure for text that matches several objects, with their ids to tell them apart. */
export function ambiguous(
  text: string,
  matching: readonly Named[],
  { noun, listedBy }: Kind,
): Failure {
  const shown = matching
    .slice(0, maxCandidates)
    .map(({ id, names: [name = ''] }) => `${shortId(id)} ${safeLine(name)}`.trim());
  const rest = matching.length > maxCandidates ? ', …' : '';
  return new Failure(
    exitCodes.usage,
    `"${text}" matches ${matching.length} ${noun}s: ${shown.join(', ')}${rest}.`,
    noun === 'friend'
      ? 'Use a nametag, or give one of them a nickname with "daycare friend nickname".'
      : `Use an id, from "${listedBy} -o wide".`,
  );
}
