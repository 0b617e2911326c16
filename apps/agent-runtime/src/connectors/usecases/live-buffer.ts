import type { AgentAdvanced, AgentProgress } from '../../agents';

/** The live progress of one of the connector's agents. */
export interface LiveProgress {
  readonly agentId: string;
  readonly progress: AgentProgress;
}

const maxEvents = 1_000;
const maxCharacters = 1 << 20;

/**
 * Collects live events for one stream while it is sending. Progress that does not fit is dropped, because the records
 * that it leads to are sent anyway. For records, the buffer only remembers that there are new ones.
 */
export class LiveBuffer {
  #progress: LiveProgress[] = [];
  #characters = 0;
  #hasRecords = false;

  constructor(private readonly wake: () => void) {}

  add(agentId: string, event: AgentAdvanced | AgentProgress): void {
    if (event.kind === 'advanced') return this.expectRecords();
    const characters = event.kind === 'delta' ? event.text.length : event.argumentsJson.length;
    const isFull = this.#progress.length >= maxEvents || this.#characters >= maxCharacters;
    if (isFull) return;
    this.#characters += characters;
    this.#progress.push({ agentId, progress: event });
    this.wake();
  }

  /** Notes that new records or permission requests have been stored. */
  expectRecords(): void {
    this.#hasRecords = true;
    this.wake();
  }

  /** Returns and clears everything collected since the last call. */
  take(): { readonly hasRecords: boolean; readonly progress: readonly LiveProgress[] } {
    const taken = { hasRecords: this.#hasRecords, progress: this.#progress };
    this.#progress = [];
    this.#characters = 0;
    this.#hasRecords = false;
    return taken;
  }
}
