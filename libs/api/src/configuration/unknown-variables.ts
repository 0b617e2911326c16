import { variableNames } from './variable-names';

type Env = Readonly<Record<string, string | undefined>>;

/** A variable that no app reads; if it is probably a misspelt known name, `suggestion` is that name. */
export interface UnknownVariable {
  readonly name: string;
  readonly suggestion?: string;
}

/** `DAYCARE_TEST_…` is used by our own tests, `DAYCARE_BUILD_…` by our own build. */
const internal = /^DAYCARE_(?:TEST|BUILD)_/;
/**
 * Matches a variable that looks like a model provider's key. Only agent-runtime is given
 * `DAYCARE_PROVIDERS`, so other apps cannot know the names of the providers.
 */
const providerKey = /^DAYCARE_[A-Z0-9_]+_API_KEY(?:_FILE)?$/;
/** The variables that Kubernetes sets for every Service in a namespace, unless that is disabled. */
const serviceLink = /_SERVICE_(?:HOST|PORT)(?:_[A-Z0-9_]+)?$|_PORT_\d+_(?:TCP|UDP)(?:_[A-Z]+)?$/;
const serviceAddress = /^(?:tcp|udp):\/\//;

/**
 * Returns the `DAYCARE_…` variables that no app in this version reads. Every app knows all the others' variables,
 * because several apps are often given the same environment.
 */
export function findUnknownVariables(env: Env): readonly UnknownVariable[] {
  const known = new Set([...variableNames, ...listProviderKeys(env['DAYCARE_PROVIDERS'] ?? '')]);
  const isKnown = (name: string): boolean =>
    known.has(name) ||
    known.has(name.replace(/_FILE$/, '')) ||
    internal.test(name) ||
    isServiceLink(name, env[name] ?? '');
  const names = Object.keys(env).filter((name) => name.startsWith('DAYCARE_') && env[name] !== '');
  return names
    .filter((name) => !isKnown(name))
    .map((name) => ({ name, ...suggest(name, known) }))
    .filter(({ name, suggestion }) => suggestion !== undefined || !mayBeKey(name, env));
}

/** Reports whether a variable may be a provider's key; never if `DAYCARE_PROVIDERS` names the providers. */
function mayBeKey(name: string, { DAYCARE_PROVIDERS: providers = '' }: Env): boolean {
  return providers === '' && providerKey.test(name);
}

function isServiceLink(name: string, value: string): boolean {
  return serviceLink.test(name) || (name.endsWith('_PORT') && serviceAddress.test(value));
}

/** Returns the key variables of the providers in `DAYCARE_PROVIDERS`: `DAYCARE_<NAME>_API_KEY`. */
function listProviderKeys(providers: string): readonly string[] {
  const names = providers.split(',').map((entry) => entry.trim().split('=')[0] ?? '');
  return names.map((name) => `DAYCARE_${name.toUpperCase().replaceAll('-', '_')}_API_KEY`);
}

/** A longer name may contain more mistakes, but if a third of its letters differ, it is considered a different name. */
const maxMistakeRatio = 1 / 3;

function suggest(name: string, known: ReadonlySet<string>): { suggestion?: string } {
  const bareName = name.slice('DAYCARE_'.length);
  let best: { suggestion: string; distance: number } | undefined;
  for (const candidate of [...known].flatMap((variable) => [variable, `${variable}_FILE`])) {
    const distance = editDistance(bareName, candidate.replace(/^DAYCARE_/, ''));
    if (distance < (best?.distance ?? bareName.length * maxMistakeRatio))
      best = { suggestion: candidate, distance };
  }
  return best ? { suggestion: best.suggestion } : {};
}

/**
 * Returns how many letters must be inserted, removed, replaced or swapped with a neighbour to turn one into the other.
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++)
      current.push(prefixDistance({ from, to, row, column }, current, last, beforeLast));
    [beforeLast, last] = [last, current];
  }
  return last.at(-1) ?? 0;
}

interface Cell {
  readonly from: string;
  readonly to: string;
  readonly row: number;
  readonly column: number;
}

/**
 * The distance between the first `row` letters of `from` and the first `column` letters of `to`, computed from the
 * distances of shorter prefixes.
 */
function prefixDistance(
  { from, to, row, column }: Cell,
  current: readonly number[],
  last: readonly number[],
  beforeLast: readonly number[],
): number {
  const far = Infinity;
  const isSame = from[row - 1] === to[column - 1];
  const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
  return Math.min(
    (last[column] ?? far) + 1,
    (current[column - 1] ?? far) + 1,
    (last[column - 1] ?? far) + (isSame ? 0 : 1),
    isSwapped ? (beforeLast[column - 2] ?? far) + 1 : far,
  );
}

/** Describes the problem in one sentence, for the person who set the variable. */
export function describeUnknownVariable({ name, suggestion }: UnknownVariable): string {
  const advice = suggestion === undefined ? 'remove it' : `did you mean ${suggestion}?`;
  return `${name} is set, but there is no such variable; ${advice}`;
}
