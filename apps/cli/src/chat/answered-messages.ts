import type { HistoryRecord } from '@daycare/contracts/agent-runtime';

export type AnswerState = 'answered' | 'failed';

/** Knows of each message how the agent's work on it ended, from the records in their order. */
export class AnsweredMessages {
  readonly #ended = new Map<string, AnswerState>();
  #underWay: readonly string[] = [];

  hear({ record }: HistoryRecord): void {
    if (record?.$case === 'userMessage' && !record.value.silent) {
      this.#underWay = [...this.#underWay, ...record.value.messageIds];
    } else if (record?.$case === 'assistantMessage' && record.value.toolCalls.length === 0) {
      this.#end('answered');
    } else if (record?.$case === 'note') {
      this.#end('failed');
    }
  }

  /** Undefined while the agent is at work on it, or has not come to it. */
  stateOf(messageId: string): AnswerState | undefined {
    return this.#ended.get(messageId);
  }

  #end(state: AnswerState): void {
    for (const messageId of this.#underWay) this.#ended.set(messageId, state);
    this.#underWay = [];
  }
}
