import type { HistoryRecord } from '@daycare/contracts/agent-runtime';

/** How an agent's work on a message ended. */
export interface Answer {
  readonly text: string;
  /** Of the record that has it. */
  readonly sequence: number;
  /** The agent gave up; the text says why. */
  readonly failed: boolean;
}

/**
 * Finds how a message was answered in the records since it was posted: by the agent's first words
 * after it that ask for no tool, or by a note that it gave up. Undefined while it is at work.
 */
export function findAnswer(
  records: readonly HistoryRecord[],
  messageId: string,
): Answer | undefined {
  const at = records.findIndex(({ record }) => hears(record, messageId));
  if (at < 0) return undefined;
  for (const { record, sequence } of records.slice(at + 1)) {
    if (record?.$case === 'assistantMessage' && record.value.toolCalls.length === 0) {
      return { text: record.value.text, sequence, failed: false };
    }
    if (record?.$case === 'note') return { text: record.value.text, sequence, failed: true };
  }
  return undefined;
}

function hears(record: HistoryRecord['record'], messageId: string): boolean {
  return record?.$case === 'userMessage' && record.value.messageIds.includes(messageId);
}
