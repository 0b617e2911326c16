import { type HistoryEntry, type HistoryWriter, mergeEntries } from '../../agents';
import type { Lease } from '../leases/lease';

/** Another replica may write for this agent now; all unfinished work here is void. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface EntryWriterDeps {
  readonly history: HistoryWriter;
  readonly lease: Lease;
  /** Called with each entry once it is known to be stored, in order. */
  readonly onStored: (entry: HistoryEntry) => void;
}

/**
 * Writes the entries of one session, one at a time and in order. An entry that has not been sent yet is merged with the
 * next. No entry may be added before one that settles items or records a model call is stored. After a failure nothing
 * more is written: the stored state is then unknown here, and the session must be opened again.
 */
export class EntryWriter {
  #waiting: HistoryEntry | undefined;
  #writing: Promise<void> | undefined;
  readonly #failed = new AbortController();

  constructor(private readonly deps: EntryWriterDeps) {}

  /** Aborts when an entry was not stored, or may not have been. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Whether everything that was added is stored. */
  get isStored(): boolean {
    return this.#writing === undefined && !this.#failed.signal.aborted;
  }

  /**
   * Sends the entry with the next batch. Returns the entry that the next step has to follow: this one, merged with the
   * entry that is waiting to be sent, if there is one.
   */
  add(entry: HistoryEntry): HistoryEntry {
    this.#failed.signal.throwIfAborted();
    if (!this.deps.lease.isValid()) throw new LeaseLostError('the lease has expired');
    const next = this.#waiting ? mergeEntries(this.#waiting, entry) : entry;
    this.#waiting = next;
    this.#writing ??= this.#write();
    return next;
  }

  /** Resolves when everything that was added is stored; rejects when anything could not be. */
  async stored(): Promise<void> {
    await this.#writing;
    this.#failed.signal.throwIfAborted();
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting) await this.#writeOne(this.#waiting.agentId);
    } catch (error) {
      this.#waiting = undefined;
      this.#failed.abort(error);
    }
    this.#writing = undefined;
  }

  async #writeOne(agentId: string): Promise<void> {
    let sent: HistoryEntry | undefined;
    const take = (): HistoryEntry => (sent = this.#take());
    const isStored = await this.deps.history.appendPending({
      agentId,
      peek: () => this.#peek(),
      take,
    });
    if (!isStored || !sent) throw new LeaseLostError('another replica has written to the history');
    this.deps.onStored(sent);
  }

  #peek(): HistoryEntry {
    if (this.#waiting) return this.#waiting;
    throw new Error('no entry is waiting');
  }

  /** The lease is checked here, at the last moment before the entry is sent. */
  #take(): HistoryEntry {
    const entry = this.#peek();
    if (!this.deps.lease.isValid()) throw new LeaseLostError('the lease has expired');
    this.#waiting = undefined;
    return entry;
  }
}
