import { AppError, FieldChecks } from '@daycare/api';
import { turnFields, type MessageDraft, type OutboxStore } from '@daycare/messaging';
import type { Viewer } from '../../domain/viewer';
import { laneOf } from '../delivery-draft';

export interface ForwardCall {
  readonly caller: Viewer;
  readonly messageId: string;
  readonly recipientAgentId: string;
  readonly text: string;
  readonly traceparent?: string | undefined;
}

const textLimits = { min: 1, max: 32_768 };

/**
 * Queues a direct message behind the channel messages, signals and earlier direct messages that topology has queued
 * from the same sender to the same recipient, if the newest of these has no receipt yet. Otherwise queues nothing and
 * resolves with false.
 */
export function makeForwardAgentMessage({
  outbox,
}: {
  readonly outbox: Pick<OutboxStore, 'appendBehindOpenTail'>;
}) {
  return async (call: ForwardCall): Promise<boolean> =>
    outbox.appendBehindOpenTail(draftOf(call, check(call)));
}

function check({ caller, messageId, recipientAgentId, text }: ForwardCall): string {
  new FieldChecks()
    .id(messageId, 'message_id')
    .id(recipientAgentId, 'recipient_agent_id')
    .text(text, 'text', textLimits)
    .done();
  if (caller.agentId) return caller.agentId;
  throw new AppError('FAILED_PRECONDITION', 'Only agents can send agent messages');
}

function draftOf(call: ForwardCall, senderAgentId: string): MessageDraft {
  const { caller, messageId: id, recipientAgentId, text, traceparent } = call;
  const { userId } = caller;
  return {
    id,
    lane: laneOf(userId, senderAgentId, recipientAgentId),
    origin: senderAgentId,
    recipient: { userId, target: { $case: 'agentId', value: recipientAgentId } },
    text: text.trim(),
    ...turnFields(caller),
    senderUserId: userId,
    senderAgentId,
    traceparent,
  };
}
