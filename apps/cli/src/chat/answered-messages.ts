import { outcomeOf } from '@daycare/client/kit';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';

export type AnswerState = NonNullable<ReturnType<typeof outcomeOf>>;

/** Tracks how the agent's work on each message ended. Records must be added in order. */
export class AnsweredMessages {
  readonly #ended = new Map<string, AnswerState>();
  #pending: readonly string[] = [];

  add(entry: HistoryRecord): void {
    const { record } = entry;
    if (record?.$case === 'userMessage' && !record.value.silent)
      this.#pending = [...this.#pending, ...record.value.messageIds];
    const outcome = outcomeOf(entry);
    if (outcome) this.#end(outcome);
  }

  /** Whether the agent is still working on a message that it has received. */
  get isBusy(): boolean {
    return this.#pending.length > 0;
  }

  /** Returns how the work on a message ended; undefined if it has not ended. */
  stateOf(messageId: string): AnswerState | undefined {
    return this.#ended.get(messageId);
  }

  #end(state: AnswerState): void {
    for (const messageId of this.#pending) this.#ended.set(messageId, state);
    this.#pending = [];
  }
}
