import { AppError } from '@daycare/api';
import { fullLookups, noLookups, type LookupKind, type Lookups } from '../usecases/lookups';
import { hideTiming, isNotFound } from './hide-timing';
import { LookupBudget, type Permit, type Disclosure } from './lookup-budget';

/** The name in a call, and the user who makes the call. */
export interface NamedTarget {
  readonly userId: string;
  /** As the caller wrote it. */
  readonly name: string;
  /** For calls whose order matters. */
  readonly queue?: LookupQueue;
}

/** Makes a call whose arguments include a nametag or a subuser's name. */
export type GuardLookups = <T>(
  target: NamedTarget,
  work: (lookups: Lookups) => Promise<T>,
) => Promise<T>;

/** Look-ups that find nothing, made so that every NOT_FOUND takes the same number of look-ups. */
export type FillerLookups = Readonly<Record<LookupKind, () => Promise<unknown>>>;

/**
 * Keeps callers from finding out which nametags exist. NOT_FOUND always takes the same look-ups and a multiple of a
 * fixed time, and each user gets it only a limited number of times per minute. After that, only names that the user has
 * found before are looked up.
 */
export function makeGuardLookups(perMinute: number, fillers: FillerLookups): GuardLookups {
  const budget = new LookupBudget(perMinute);
  return async ({ userId, name, queue }, work) => {
    const enter = (): Permit | Promise<Permit> => budget.enter(userId, name.trim().toLowerCase());
    const permit = queue ? queue.add(enter) : enter();
    const leave = permit instanceof Promise ? await permit : permit;
    const lookups = noLookups();
    let disclosure: Disclosure = 'nothing';
    try {
      const result = await hideTiming(() => withEqualWork(lookups, work, fillers));
      disclosure = 'exists';
      return result;
    } catch (error) {
      disclosure = disclosureOf(error);
      throw error;
    } finally {
      leave(lookups.isUnknownNametag && disclosure !== 'unknown' ? 'own_subuser' : disclosure);
    }
  };
}

/**
 * Lets calls begin in the order in which they were added, even when one has to wait. Once a call is refused, no later
 * one begins.
 */
export class LookupQueue {
  #last: Promise<unknown> | undefined;

  add(enter: () => Permit | Promise<Permit>): Permit | Promise<Permit> {
    const entered = this.#last ? this.#last.then(enter) : this.#begin(enter);
    if (entered instanceof Promise) {
      this.#last = entered;
      entered.catch(() => undefined);
    }
    return entered;
  }

  #begin(enter: () => Permit | Promise<Permit>): Permit | Promise<Permit> {
    try {
      return enter();
    } catch (error) {
      this.#last = Promise.resolve().then(() => {
        throw error;
      });
      this.#last.catch(() => undefined);
      throw error;
    }
  }
}

/**
 * Makes every NOT_FOUND take the same number of look-ups. Otherwise, calls that need fewer would return sooner
 * under load.
 */
async function withEqualWork<T>(
  lookups: Lookups,
  work: (lookups: Lookups) => Promise<T>,
  fillers: FillerLookups,
): Promise<T> {
  try {
    return await work(lookups);
  } catch (error) {
    if (isNotFound(error)) await performMissing(lookups, fillers);
    throw error;
  }
}

/**
 * Makes the look-ups that the call did not need. If identity cannot be reached, they fail and so does the call, just
 * as it would have with an unknown name.
 */
async function performMissing(lookups: Lookups, fillers: FillerLookups): Promise<void> {
  for (const kind of ['nametags', 'ids', 'reads'] as const)
    for (let done = lookups[kind]; done < fullLookups[kind]; done += 1) await fillers[kind]();
}

const disclosureByCode: ReadonlyMap<string, Disclosure> = new Map([
  ['NOT_FOUND', 'unknown'],
  ['FAILED_PRECONDITION', 'exists'],
  ['QUOTA_EXCEEDED', 'exists'],
]);

/** Returns what an error reveals about the name: nothing if its code is not listed above, such as UNAVAILABLE. */
function disclosureOf(error: unknown): Disclosure {
  const disclosure = error instanceof AppError ? disclosureByCode.get(error.code) : undefined;
  return disclosure ?? 'nothing';
}
