import type { FileReference, HistoryRecord } from '@daycare/contracts/agent-runtime';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';

/** The outcome of an agent's work on a message. */
export interface Answer {
  readonly text: string;
  /** What the agent attached to it. */
  readonly files: readonly FileReference[];
  /** The sequence of the record that holds it. */
  readonly sequence: number;
  /** The agent gave up; the text says why. */
  readonly failed: boolean;
}

/**
 * Finds the answer to a message in the records since it was posted: the first assistant message after
 * it without tool calls, or the note that ends the work. Undefined while the agent is working.
 */
export function findAnswer(
  records: readonly HistoryRecord[],
  messageId: string,
): Answer | undefined {
  const at = records.findIndex(({ record }) => hasMessage(record, messageId));
  if (at < 0) return undefined;
  for (const { record, sequence } of records.slice(at + 1)) {
    if (record?.$case === 'assistantMessage' && record.value.toolCalls.length === 0) {
      const { text, files } = record.value;
      return { text, files, sequence, failed: false };
    }
    if (record?.$case === 'note' && record.value.endsWork)
      return { text: record.value.text, files: [], sequence, failed: true };
  }
  return undefined;
}

function hasMessage(record: HistoryRecord['record'], messageId: string): boolean {
  return record?.$case === 'userMessage' && record.value.messageIds.includes(messageId);
}

/** The failure to report when an agent has not answered in time. */
export function noReplyYet(agentId?: string): Failure {
  const watch = ['daycare agent watch', agentId].filter(Boolean).join(' ');
  return new Failure(
    exitCodes.unavailable,
    'No reply yet. Your message is stored and will be handled.',
    `Watch for the reply with "${watch}".`,
  );
}
