import { AppError } from '@daycare/api';

export interface GroupLimits<Item> {
  /** How many items one batch may have. */
  readonly maxItems?: number;
  /** How many bytes one batch may have, as measured by `bytesOf`; a larger item is the only one in its batch. */
  readonly maxBytes?: number;
  readonly bytesOf?: (item: Item) => number;
  /** How many items, and how many bytes, may wait; further calls are refused with UNAVAILABLE. */
  readonly maxWaiting?: number;
  readonly maxWaitingBytes?: number;
  /**
   * Called with the item of a failing call, before that call rejects and before the next batch starts. Not called if
   * `bytesOf` throws.
   */
  readonly onFailed?: (item: Item) => void;
}

/** One result per item, in the same order. An Error rejects only the call for its item. */
export type RunBatch<Item, Result> = (
  items: readonly Item[],
) => Promise<readonly (Result | Error)[]>;

interface WaitingCall<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const mebibyte = 1024 * 1024;
const defaults = {
  maxItems: 256,
  maxBytes: 8 * mebibyte,
  maxWaiting: 20_000,
  maxWaitingBytes: 64 * mebibyte,
};

/**
 * Lets concurrent calls share round trips: all calls that arrive while a batch is running go into the next
 * batch. Batches run one at a time, in the order of the calls, so calls cannot overtake each other.
 * A lone call does not wait for others. A batch starts after its calls were made, so a read never returns data
 * older than the call.
 */
export function groupCalls<Item, Result>(
  run: RunBatch<Item, Result>,
  limits: GroupLimits<Item> = {},
): (item: Item) => Promise<Result> {
  const group = new CallGroup(run, limits);
  return (item) => group.add(item);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class CallGroup<Item, Result> {
  readonly #limits: typeof defaults & Pick<GroupLimits<Item>, 'bytesOf' | 'onFailed'>;
  #waiting: WaitingCall<Item, Result>[] = [];
  #waitingBytes = 0;
  #isRunning = false;

  constructor(
    private readonly run: RunBatch<Item, Result>,
    limits: GroupLimits<Item>,
  ) {
    this.#limits = { ...defaults, ...limits };
  }

  add(item: Item): Promise<Result> {
    const { maxWaiting, maxWaitingBytes, onFailed } = this.#limits;
    if (this.#waiting.length >= maxWaiting || this.#waitingBytes >= maxWaitingBytes) {
      onFailed?.(item);
      return Promise.reject(new AppError('UNAVAILABLE', 'Too many calls are waiting; try again'));
    }
    return new Promise((resolve, reject) => {
      // Measured inside the promise, so that an exception rejects only this call.
      const bytes = this.#limits.bytesOf?.(item) ?? 0;
      this.#waitingBytes += bytes;
      this.#waiting.push({ item, bytes, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      // Calls made in the same turn of the event loop go into the same batch.
      setImmediate(() => void this.#runAll());
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#runBatch(this.#takeBatch());
      // Lets requests that have reached this process but have not been read yet join the next batch.
      if (this.#waiting.length > 0) await nextTurn();
    }
    this.#isRunning = false;
  }

  async #runBatch(batch: readonly WaitingCall<Item, Result>[]): Promise<void> {
    try {
      this.#settle(batch, await this.run(batch.map(({ item }) => item)));
    } catch (error) {
      for (const call of batch) this.#fail(call, error);
    }
  }

  #settle(batch: readonly WaitingCall<Item, Result>[], results: readonly (Result | Error)[]): void {
    if (results.length !== batch.length)
      throw new Error(`a batch of ${batch.length} items had ${results.length} results`);
    batch.forEach((call, index) => {
      const result = results[index] as Result | Error;
      if (result instanceof Error) this.#fail(call, result);
      else call.resolve(result);
    });
  }

  #fail({ item, reject }: WaitingCall<Item, Result>, error: unknown): void {
    this.#limits.onFailed?.(item);
    reject(error);
  }

  #takeBatch(): WaitingCall<Item, Result>[] {
    const { maxItems, maxBytes } = this.#limits;
    let total = 0;
    let count = 0;
    for (const { bytes } of this.#waiting) {
      total += bytes;
      if (count > 0 && (count >= maxItems || total > maxBytes)) break;
      count += 1;
    }
    const batch = this.#waiting.slice(0, count);
    for (const { bytes } of batch) this.#waitingBytes -= bytes;
    this.#waiting = this.#waiting.slice(count);
    return batch;
  }
}
