import type { FileReference, HistoryRecord } from '@daycare/contracts/agent-runtime';

/** A message that was written in this window and is not in the history yet. */
export interface PendingMessage {
  /** The same for every attempt, so that the message is stored only once. */
  readonly requestId: string;
  readonly text: string;
  readonly files: readonly FileReference[];
  /** Whether the message interrupts what the agent is doing. */
  readonly isSteering: boolean;
  readonly state: 'sending' | 'stored' | 'failed';
  /** Undefined until the message is stored. */
  readonly messageId: string | undefined;
  /** Why the message could not be sent; empty otherwise. */
  readonly problem: string;
}

/** Returns the pending messages that the records do not contain. */
export function stillPending(
  pending: readonly PendingMessage[],
  records: readonly HistoryRecord[],
): readonly PendingMessage[] {
  if (pending.length === 0) return pending;
  const ids = new Set<string>();
  for (const { record } of records)
    if (record?.$case === 'userMessage') record.value.messageIds.forEach((id) => ids.add(id));
  const remaining = pending.filter(
    ({ messageId }) => messageId === undefined || !ids.has(messageId),
  );
  return remaining.length === pending.length ? pending : remaining;
}
