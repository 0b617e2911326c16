import { turnFields, type MessageDraft } from '@daycare/messaging';
import { messageIdOf } from '@daycare/api';
import { channelText, type ChannelMessage } from '../domain/channels/channel';
import { signalText, type SignalRecipient, type Signal } from '../domain/signals/signal';

/** Drafts the delivery of a signal to one agent. Its id is deterministic, so retries do not duplicate it. */
export function draftSignal(signal: Signal, { agentId, silent }: SignalRecipient): MessageDraft {
  const { id, userId, agentId: emitter } = signal;
  return {
    id: messageIdOf('signal', id, agentId),
    lane: laneOf(userId, emitter, agentId),
    origin: `signal:${id}`,
    recipient: { userId, target: { $case: 'agentId', value: agentId } },
    text: signalText(signal),
    silent,
    ...turnFields(signal),
    senderUserId: userId,
    // Empty when a person emitted it.
    senderAgentId: emitter,
  };
}

/** Drafts the delivery of a channel message to one agent. */
export function draftChannelMessage(
  message: ChannelMessage,
  channelName: string,
  agentId: string,
  hops: number,
): MessageDraft {
  const { id, userId, senderAgentId } = message;
  return {
    id: messageIdOf('channel', id, agentId),
    lane: laneOf(userId, senderAgentId, agentId),
    origin: `channel:${channelName}`,
    recipient: { userId, target: { $case: 'agentId', value: agentId } },
    text: channelText(message),
    ...turnFields({ ...message, hops }),
    senderUserId: userId,
    senderAgentId,
  };
}

/** Messages from one sender to one agent share a lane, however they are sent, so they stay in order (ADR 0035). */
export function laneOf(userId: string, senderAgentId: string, agentId: string): string {
  return `${senderAgentId || userId}>${agentId}`;
}
