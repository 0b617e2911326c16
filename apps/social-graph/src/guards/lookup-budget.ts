import { LRUCache } from 'lru-cache';
import { AppError, limitEntries } from '@daycare/api';
import { TokenBuckets } from '@daycare/rpc';

/** The caller has used too many unknown nametags, so the name in this call was not looked up. */
export class TooManyUnknownNames extends AppError {
  constructor(waitMs: number) {
    const at = new Date(Date.now() + waitMs).toISOString();
    const quota = { subject: 'caller', description: 'unknown nametags per minute' };
    const text = `You have looked up too many nametags that do not exist; try again after ${at}`;
    super('QUOTA_EXCEEDED', text, { quota, retryAfterMs: Math.ceil(waitMs) });
  }
}

/**
 * What the caller learns about the name from the outcome of its call. `own_subuser`: no one whom the caller may see has
 * this nametag; the caller learns that because the call used the text as the name of one of the caller's own subusers.
 */
export type Disclosure = 'nothing' | 'exists' | 'own_subuser' | 'unknown';

/** When concurrent calls with the same name have different outcomes, the last of them in this list counts. */
const ascendingPrecedence: readonly Disclosure[] = ['nothing', 'exists', 'own_subuser', 'unknown'];

/** Permission to look a name up; when the call ends, invoke the permit with what the caller learned. */
export type Permit = (disclosure: Disclosure) => void;

/** A user's concurrent calls with the same name count as one guess and need one permit. */
interface Guess {
  calls: number;
  disclosure: Disclosure;
}

interface Guesses {
  readonly byName: Map<string, Guess>;
  readonly waiting: (() => void)[];
}

const maxKnownNames = 100_000;
/** Longer names cannot exist and are not worth remembering. */
const maxNameLength = 300;

/**
 * Limits how many unknown names each user may use in this process. A permit is taken before a name is looked up, and
 * returned if the name exists or the call revealed nothing, so concurrent calls reveal no more than consecutive ones.
 * Names that the user has found before need no permit, so further messages to a friend do not wait; this process
 * remembers up to `maxKnownNames` of them for all users. A text that could be a nametag, but is only the name of one of
 * the caller's own subusers, costs a permit once: otherwise anyone could name a subuser after a nametag to find out
 * whether it exists.
 */
export class LookupBudget {
  readonly #permits: TokenBuckets;
  readonly #knownNames = new LRUCache<string, true>(limitEntries(maxKnownNames));
  readonly #guesses = new Map<string, Guesses>();

  constructor(perMinute: number) {
    this.#permits = new TokenBuckets({ perSecond: perMinute / 60, burst: perMinute });
  }

  /**
   * Returns a permit immediately if the name is known, if another call of the user with the same name is in progress,
   * or if a permit is free. If none is free but other calls of the user are in progress, waits for them, because they
   * may return theirs. Otherwise throws `TooManyUnknownNames`.
   */
  enter(userId: string, name: string): Permit | Promise<Permit> {
    const key = `${userId} ${name}`;
    if (this.#knownNames.has(key)) return (disclosure) => this.#leaveKnown(userId, key, disclosure);
    const guesses = this.#guesses.get(userId);
    const guess = guesses?.byName.get(name);
    if (guess) guess.calls += 1;
    else {
      const waitMs = this.#permits.take(userId);
      if (waitMs > 0) {
        if (!guesses) throw new TooManyUnknownNames(waitMs);
        return waitFor(guesses).then(() => this.enter(userId, name));
      }
      this.#begin(userId, name);
    }
    return (disclosure) => this.#leave(userId, name, disclosure);
  }

  #begin(userId: string, name: string): void {
    const guesses = this.#guesses.get(userId) ?? { byName: new Map(), waiting: [] };
    guesses.byName.set(name, { calls: 1, disclosure: 'nothing' });
    this.#guesses.set(userId, guesses);
  }

  #leave(userId: string, name: string, disclosure: Disclosure): void {
    const guesses = this.#guesses.get(userId);
    const guess = guesses?.byName.get(name);
    if (!guesses || !guess) return;
    if (ascendingPrecedence.indexOf(disclosure) > ascendingPrecedence.indexOf(guess.disclosure))
      guess.disclosure = disclosure;
    guess.calls -= 1;
    if (guess.calls > 0) return;
    guesses.byName.delete(name);
    if (guesses.byName.size === 0) this.#guesses.delete(userId);
    const isFound = guess.disclosure === 'exists' || guess.disclosure === 'own_subuser';
    if (guess.disclosure === 'exists' || guess.disclosure === 'nothing')
      this.#permits.refund(userId);
    if (isFound && name.length <= maxNameLength) this.#knownNames.set(`${userId} ${name}`, true);
    for (const resume of guesses.waiting.splice(0)) resume();
  }

  /** Ends a call with a known name. If the name no longer exists, finding that out costs the user a permit. */
  #leaveKnown(userId: string, key: string, disclosure: Disclosure): void {
    if (disclosure === 'unknown' && this.#knownNames.delete(key)) this.#permits.charge(userId);
  }
}

function waitFor({ waiting }: Guesses): Promise<void> {
  return new Promise((resolve) => waiting.push(resolve));
}
