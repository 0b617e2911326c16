import { AppError, FieldChecks } from '@daycare/api';
import {
  turnFields,
  type MessageDraft,
  type OutboxStore,
  type SendingTurn,
} from '@daycare/messaging';
import { laneOf, toForeground } from '../notice-draft';
import { findCaller, type Directory } from '../people';
import type { CheckDelivery, Relation, Sender } from './check-delivery';
import { messageLimits } from './send-friend-message';

export interface AgentMessageCall {
  readonly sender: Sender;
  readonly agentId: string | undefined;
  readonly turn: SendingTurn;
  readonly messageId: string;
  readonly recipientUserId: string;
  /** Empty for the recipient's foreground agents. */
  readonly recipientAgentId: string;
  readonly text: string;
  /** The relations that allow the message. */
  readonly allowedRelations: readonly Relation[];
  /** Whether the message comes from the subuser rather than from one of its agents. */
  readonly asSubuser: boolean;
  readonly traceparent?: string | undefined;
}

export interface DeliverAgentMessageDeps {
  readonly directory: Directory;
  readonly outbox: OutboxStore;
  readonly checkDelivery: CheckDelivery;
}

/**
 * Accepts an agent's message to another user's agent, in the lane from the sending to the receiving user. The tie
 * is read during the call, so a call that starts after a share was revoked is refused. Resolves to whether the
 * message was accepted, without the reason for a refusal.
 */
export function makeDeliverAgentMessage({
  directory,
  outbox,
  checkDelivery,
}: DeliverAgentMessageDeps) {
  return async (call: AgentMessageCall): Promise<boolean> => {
    const agentId = check(call);
    const { sender, recipientUserId, messageId } = call;
    const verdict = await checkDelivery(sender, recipientUserId);
    if (verdict.allowed && call.allowedRelations.includes(verdict.relation)) {
      const { tie, limits } = verdict;
      const draft = draftOf(call, agentId, await originOf(directory, call, agentId));
      const limited = { tie, limits, senderOwnerId: sender.parentUserId ?? '' };
      await outbox.append([{ ...draft, ...(tie ? limited : {}) }]);
      return true;
    }
    // A retry of a message that was accepted while it was still allowed gets the same answer.
    const known = await outbox.status(messageId);
    return known.state !== 'unknown' && known.senderUserId === sender.userId;
  };
}

function check(call: AgentMessageCall): string {
  const checks = new FieldChecks()
    .id(call.messageId, 'message_id')
    .id(call.recipientUserId, 'recipient_user_id')
    .text(call.text, 'text', messageLimits);
  if (call.recipientAgentId !== '') checks.id(call.recipientAgentId, 'recipient_agent_id');
  checks.done();
  if (call.agentId) return call.agentId;
  throw new AppError('FAILED_PRECONDITION', 'Only agents can send agent messages');
}

async function originOf(
  directory: Directory,
  { sender, asSubuser }: AgentMessageCall,
  agentId: string,
): Promise<string> {
  if (!asSubuser) return agentId;
  return `subuser:${(await findCaller(directory, sender.userId)).nametag}`;
}

function draftOf(call: AgentMessageCall, senderAgentId: string, origin: string): MessageDraft {
  const { messageId: id, sender, recipientUserId, recipientAgentId, text, turn } = call;
  return {
    id,
    lane: laneOf(sender.userId, recipientUserId),
    origin,
    recipient: recipientAgentId
      ? { userId: recipientUserId, target: { $case: 'agentId', value: recipientAgentId } }
      : toForeground(recipientUserId),
    text: text.trim(),
    senderUserId: sender.userId,
    senderAgentId,
    ...turnFields(turn),
    traceparent: call.traceparent,
  };
}
