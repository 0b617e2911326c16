import { withTimeout } from '@daycare/async';
import { resume } from '@daycare/client';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import type { Session } from '../client/session';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';

/** Collects the records of an agent's history as they arrive. */
export class Listener {
  readonly #records: HistoryRecord[] = [];
  readonly #signal: AbortSignal;
  readonly #following: Promise<never>;
  #onRecord: () => void = () => undefined;

  constructor(session: Session, agentId: string, signal: AbortSignal) {
    this.#signal = signal;
    this.#following = this.#follow(session, agentId);
    this.#following.catch(() => undefined);
  }

  /** The number of records so far; pass it to `find` to search only later ones. */
  get count(): number {
    return this.#records.length;
  }

  /**
   * Skips the first `after` records and waits for a record for which `pick` returns a value. Returns that value, or
   * undefined on timeout; throws if the agent dies, it can no longer be followed, or the demo is interrupted.
   */
  async find<T>(
    after: number,
    pick: (record: HistoryRecord['record']) => T | undefined,
    timeoutMs: number,
  ): Promise<T | undefined> {
    const found = new Promise<T>((resolve) => {
      const scan = (): void => {
        for (const { record } of this.#records.slice(after)) {
          const picked = pick(record);
          if (picked !== undefined) resolve(picked);
        }
      };
      this.#onRecord = scan;
      scan();
    });
    const timedOut = new Error('no matching record in time');
    const search = Promise.race([found, this.#following]);
    return withTimeout(search, timeoutMs, () => timedOut).catch((error: unknown) => {
      if (error === timedOut) return undefined;
      throw error;
    });
  }

  async #follow({ runtime }: Session, agentId: string): Promise<never> {
    let afterSequence = 0;
    const open = () => runtime.watchAgent({ agentId, afterSequence }, { signal: this.#signal });
    try {
      for await (const { event } of resume(open, { mayResume: () => !this.#signal.aborted })) {
        if (event?.$case !== 'record') continue;
        afterSequence = event.value.sequence;
        this.#records.push(event.value);
        this.#onRecord();
      }
    } catch (error) {
      throw this.#signal.aborted ? interrupted() : error;
    }
    throw new Failure(exitCodes.failure, `Agent ${agentId} has died.`);
  }
}

function interrupted(): Failure {
  return new Failure(exitCodes.failure, 'The demo was interrupted.');
}
