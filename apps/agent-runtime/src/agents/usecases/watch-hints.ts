import type { HistoryRecord } from '../domain/context/history-record';
import type { AgentDelta, AgentHint } from './watched-agents';

const maxDeltas = 1_000;
/** A hint is at most some tens of kilobytes. */
const maxHints = 16;

/** Collects the hints for one watcher while it is sending; what does not fit is read later. */
export class WatchHints {
  #deltas: AgentDelta[] = [];
  #records: (readonly HistoryRecord[])[] = [];
  #lastSequence = 0;
  #hasDied = false;
  #hasNews = false;
  #wake: (() => void) | undefined;

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  add(hint: AgentHint): void {
    if (hint.kind === 'died') this.#hasDied = true;
    else if (hint.kind === 'delta') this.#addDelta(hint);
    else this.#advance(hint.lastSequence, hint.records);
    this.#hasNews = true;
    this.#wake?.();
  }

  /** The highest sequence that the agent is known to have. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  get hasDied(): boolean {
    return this.#hasDied;
  }

  /** The collected records that follow a sequence without a gap. */
  takeFollowing(sequence: number): HistoryRecord[] {
    const following: HistoryRecord[] = [];
    for (const record of this.#records.flat())
      if (record.sequence === sequence + following.length + 1) following.push(record);
    this.#records = [];
    return following;
  }

  takeDeltas(): AgentDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  /** Resolves when a hint has been added since the last wait, or the signal has aborted. */
  async wait(): Promise<void> {
    if (!this.#hasNews && !this.signal.aborted)
      await new Promise<void>((wake) => (this.#wake = wake));
    this.#wake = undefined;
    this.#hasNews = false;
  }

  #addDelta(delta: AgentDelta): void {
    if (this.#deltas.length < maxDeltas) this.#deltas.push(delta);
  }

  #advance(lastSequence: number, records: readonly HistoryRecord[]): void {
    this.#lastSequence = Math.max(this.#lastSequence, lastSequence);
    // Deltas of what is recorded by now are outdated.
    this.#deltas = this.#deltas.filter(({ afterSequence }) => afterSequence >= lastSequence);
    if (records.length === 0) return;
    if (this.#records.length >= maxHints) this.#records = [];
    else this.#records.push(records);
  }
}
