import type { FileReference, HistoryRecord } from '@daycare/contracts/agent-runtime';

/** What an agent answered to a message. */
export interface Answer {
  readonly text: string;
  /** What the agent attached; `files.download` returns the content. */
  readonly files: readonly FileReference[];
  readonly agentId: string;
  /** The sequence of the record that holds it. */
  readonly sequence: number;
  /** The agent gave up or was stopped; the text says why. */
  readonly failed: boolean;
}

/** Recognises the answer to one message in the records that follow it. */
export class AnswerFinder {
  #isPosted = false;

  constructor(
    private readonly messageId: string,
    private readonly agentId: string,
  ) {}

  /** The answer, if this record is it: an assistant message without tool calls, or the note that ends the work. */
  next({ record, sequence }: HistoryRecord): Answer | undefined {
    const { agentId } = this;
    if (record?.$case === 'userMessage' && record.value.messageIds.includes(this.messageId))
      this.#isPosted = true;
    if (!this.#isPosted) return undefined;
    if (record?.$case === 'assistantMessage' && record.value.toolCalls.length === 0) {
      const { text, files } = record.value;
      return { text, files, agentId, sequence, failed: false };
    }
    if (record?.$case === 'note' && record.value.endsWork)
      return { text: record.value.text, files: [], agentId, sequence, failed: true };
    return undefined;
  }
}
