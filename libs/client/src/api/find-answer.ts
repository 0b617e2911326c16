import type { FileReference, HistoryRecord } from '@daycare/contracts/agent-runtime';

/** An agent's answer to a message. */
export interface Answer {
  readonly text: string;
  /** The files that the agent attached; `files.download` returns the content. */
  readonly files: readonly FileReference[];
  readonly agentId: string;
  /** The sequence number of the record that contains the answer. */
  readonly sequence: number;
  /** Whether the agent gave up or was stopped; the text then says why. */
  readonly failed: boolean;
}

/**
 * Returns whether a record answers the messages before it or ends the work on them without an answer; undefined if it
 * does neither.
 */
export function outcomeOf({ record }: HistoryRecord): 'answered' | 'failed' | undefined {
  if (record?.$case === 'assistantMessage' && record.value.toolCalls.length === 0)
    return 'answered';
  return record?.$case === 'note' && record.value.endsWork ? 'failed' : undefined;
}

/** Recognises the answer to one message in the records that follow it. */
export class AnswerFinder {
  #hasSeenMessage = false;

  constructor(
    private readonly messageId: string,
    private readonly agentId: string,
  ) {}

  /**
   * Returns the answer if this record contains it: an assistant message without tool calls, or a note that ends the
   * work.
   */
  next(entry: HistoryRecord): Answer | undefined {
    const { record, sequence } = entry;
    if (record?.$case === 'userMessage' && record.value.messageIds.includes(this.messageId))
      this.#hasSeenMessage = true;
    const outcome = outcomeOf(entry);
    if (!this.#hasSeenMessage || !outcome) return undefined;
    const { agentId } = this;
    const text = record && 'text' in record.value ? record.value.text : '';
    const files = record?.$case === 'assistantMessage' ? record.value.files : [];
    return { text, files, agentId, sequence, failed: outcome === 'failed' };
  }
}
