import { raceAbort } from '@daycare/async';

interface Request {
  readonly count: number;
  readonly grant: () => void;
}

/**
 * Limits concurrency in total and per user. Users take turns: of a thousand requests that one user has waiting, at most
 * one is granted before another user's next request. The caller decides what to pass as the user's id.
 */
export class FairSemaphore {
  readonly #running = new Map<string, number>();
  /** The users with waiting requests, in the order in which they are served next. */
  readonly #waiting = new Map<string, Request[]>();
  #free: number;

  constructor(
    limit: number,
    private readonly perUser: number,
  ) {
    this.#free = limit;
  }

  /** Resolves once the user has `count` slots, which the caller must release; `count` must not exceed either limit. */
  async acquire(userId: string, count = 1): Promise<void> {
    const isNext = !this.#waiting.has(userId) && !this.#hasBlockedRequest();
    if (isNext && this.#mayRun(userId, count)) return this.#take(userId, count);
    await new Promise<void>((grant) => {
      const requests = this.#waiting.get(userId);
      if (requests) requests.push({ count, grant });
      else this.#waiting.set(userId, [{ count, grant }]);
    });
  }

  /** Like `acquire`, but rejects if the signal aborts first; nothing has to be released then. */
  async acquireUnless(signal: AbortSignal, userId: string, count = 1): Promise<void> {
    const granted = this.acquire(userId, count);
    try {
      await raceAbort(granted, signal);
    } catch (error) {
      // The request stays in the queue; when it is granted, its slots go to the next waiter.
      void granted.then(() => this.release(userId, count));
      throw error;
    }
  }

  release(userId: string, count = 1): void {
    const remaining = (this.#running.get(userId) ?? 0) - count;
    if (remaining > 0) this.#running.set(userId, remaining);
    else this.#running.delete(userId);
    this.#free += count;
    this.#serveNext();
  }

  #serveNext(): void {
    for (const [userId, requests] of this.#waiting) {
      const [next] = requests;
      if (!next || !this.#hasShare(userId, next.count)) continue;
      // Free slots are reserved for this request: otherwise requests for fewer slots would overtake it forever.
      if (this.#free < next.count) return;
      requests.shift();
      this.#waiting.delete(userId);
      if (requests.length > 0) this.#waiting.set(userId, requests);
      this.#take(userId, next.count);
      next.grant();
    }
  }

  /** Reports whether a request is waiting only because too few slots are free. */
  #hasBlockedRequest(): boolean {
    for (const [userId, [next]] of this.#waiting)
      if (next && this.#hasShare(userId, next.count)) return true;
    return false;
  }

  #mayRun(userId: string, count: number): boolean {
    return this.#free >= count && this.#hasShare(userId, count);
  }

  #hasShare(userId: string, count: number): boolean {
    return (this.#running.get(userId) ?? 0) + count <= this.perUser;
  }

  #take(userId: string, count: number): void {
    this.#free -= count;
    this.#running.set(userId, (this.#running.get(userId) ?? 0) + count);
  }
}
