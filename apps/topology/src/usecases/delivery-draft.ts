import type { MessageDraft } from '@daycare/messaging';
import { channelText, type ChannelMessage } from '../domain/channel';
import { signalText, type Hearer, type Signal } from '../domain/signal';
import { messageIdOf } from './message-id';

/** A signal as one of its hearers is told of it. The id is the same whenever it is made. */
export function draftSignal(signal: Signal, { agentId, silent }: Hearer): MessageDraft {
  const { id, userId, agentId: emitter, hops } = signal;
  return {
    id: messageIdOf('signal', id, agentId),
    lane: laneOf(userId, emitter, agentId),
    origin: `signal:${id}`,
    recipient: { userId, target: { $case: 'agentId', value: agentId } },
    text: signalText(signal),
    silent,
    hops,
    senderUserId: userId,
  };
}

/** What was said in a channel as one of the others hears it. */
export function draftChannelMessage(
  message: ChannelMessage,
  channelName: string,
  { agentId, hops }: { readonly agentId: string; readonly hops: number },
): MessageDraft {
  const { id, userId, senderAgentId } = message;
  return {
    id: messageIdOf('channel', id, agentId),
    lane: laneOf(userId, senderAgentId, agentId),
    origin: `channel:${channelName}`,
    recipient: { userId, target: { $case: 'agentId', value: agentId } },
    text: channelText(message),
    hops,
    senderUserId: userId,
    senderAgentId,
  };
}

/** What one agent, or a person, lets another hear is heard in the order it was accepted. */
function laneOf(userId: string, senderAgentId: string, agentId: string): string {
  return `${senderAgentId || userId}>${agentId}`;
}
