import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { resume } from '../client/resume';
import type { Session } from '../client/session';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';

/** Has what an agent hears, does and says at hand, as it comes. */
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

  /** How many records there are; what follows is looked for with `find`. */
  get count(): number {
    return this.#records.length;
  }

  /** Waits for a record after the first so many that `pick` takes; undefined when time is up. */
  async find<T>(
    after: number,
    pick: (record: HistoryRecord['record']) => T | undefined,
    timeoutMs: number,
  ): Promise<T | undefined> {
    const found = new Promise<T | undefined>((resolve) => {
      const look = (): void => {
        for (const { record } of this.#records.slice(after)) {
          const picked = pick(record);
          if (picked !== undefined) resolve(picked);
        }
      };
      this.#onRecord = look;
      setTimeout(() => resolve(undefined), timeoutMs).unref();
      look();
    });
    return Promise.race([found, this.#following]);
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
      throw this.#signal.aborted ? stopped() : error;
    }
    throw new Failure(exitCodes.failure, `Agent ${agentId} has died.`);
  }
}

function stopped(): Failure {
  return new Failure(exitCodes.failure, 'The demo was stopped.');
}
