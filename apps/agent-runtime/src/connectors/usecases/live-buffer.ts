import type { AgentAdvanced, AgentProgress } from '../../agents';

/** The current progress of an agent of the connector. */
export interface LiveProgress {
  readonly agentId: string;
  readonly progress: AgentProgress;
}

const maxEvents = 1_000;
const maxCharacters = 1 << 20;

/**
 * Collects live events for one stream while it is sending. Progress that does not fit is dropped, since
 * the records follow. For records, it only remembers that there are new ones.
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

  /** Everything collected since the last call. */
  take(): { readonly hasRecords: boolean; readonly progress: readonly LiveProgress[] } {
    const taken = { hasRecords: this.#hasRecords, progress: this.#progress };
    this.#progress = [];
    this.#characters = 0;
    this.#hasRecords = false;
    return taken;
  }
}
