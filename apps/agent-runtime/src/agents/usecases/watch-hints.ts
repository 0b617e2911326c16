import { onAbort } from '@daycare/async';
import type { HistoryRecord } from '../domain/context/history-record';
import type { AgentProgress, AgentHint } from './watched-agents';

const maxProgress = 1_000;
/** A hint with records has at most 65,536 characters; see `LiveFeed`. */
const maxHints = 16;

/**
 * Collects hints for one watcher while it is busy sending. Records that do not fit are read from the history later;
 * progress that does not fit is dropped.
 */
export class WatchHints {
  #progress: AgentProgress[] = [];
  #records: (readonly HistoryRecord[])[] = [];
  #lastSequence = 0;
  #hasDied = false;
  #hasHint = false;
  #wake: (() => void) | undefined;

  constructor(private readonly signal: AbortSignal) {
    onAbort(signal, () => this.#wake?.());
  }

  add(hint: AgentHint): void {
    if (hint.kind === 'died') this.#hasDied = true;
    else if (hint.kind === 'advanced') this.#advance(hint.lastSequence, hint.records);
    else this.#addProgress(hint);
    this.#hasHint = true;
    this.#wake?.();
  }

  /** The highest sequence number that the agent is known to have reached. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  get hasDied(): boolean {
    return this.#hasDied;
  }

  /** Takes all collected records; returns those that follow the sequence number without a gap. */
  takeFollowing(sequence: number): HistoryRecord[] {
    const following: HistoryRecord[] = [];
    for (const record of this.#records.flat())
      if (record.sequence === sequence + following.length + 1) following.push(record);
    this.#records = [];
    return following;
  }

  takeProgress(): AgentProgress[] {
    const progress = this.#progress;
    this.#progress = [];
    return progress;
  }

  /** Resolves when a hint has been added since the last wait, or the signal has aborted. */
  async wait(): Promise<void> {
    if (!this.#hasHint && !this.signal.aborted)
      await new Promise<void>((wake) => (this.#wake = wake));
    this.#wake = undefined;
    this.#hasHint = false;
  }

  #addProgress(progress: AgentProgress): void {
    if (this.#progress.length < maxProgress) this.#progress.push(progress);
  }

  #advance(lastSequence: number, records: readonly HistoryRecord[]): void {
    this.#lastSequence = Math.max(this.#lastSequence, lastSequence);
    // Progress towards a record that already exists is outdated.
    this.#progress = this.#progress.filter(({ afterSequence }) => afterSequence >= lastSequence);
    if (records.length === 0) return;
    if (this.#records.length >= maxHints) this.#records = [];
    else this.#records.push(records);
  }
}
