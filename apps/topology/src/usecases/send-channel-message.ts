import { AppError, FieldChecks, notFound } from '@daycare/errors';
import {
  isChannelName,
  listenersOf,
  memberOf,
  nameRule,
  type Channel,
  type ChannelMessage,
} from '../domain/channel';
import type { Viewer } from '../domain/facts';
import type { ChannelMessageStore } from '../store/channel-message-store';
import type { ChannelSending, Sending } from '../store/channel-sending';
import { draftChannelMessage } from './delivery-draft';
import { messageIdOf } from './message-id';

export interface SendChannelMessageCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly channelName: string;
  readonly text: string;
}

export interface SendChannelMessageDeps {
  readonly messages: ChannelMessageStore;
  readonly channelSending: ChannelSending;
  readonly wake: (lanes: readonly string[]) => void;
  readonly now: () => Date;
}

const textLimits = { min: 1, max: 32_768 };

/** Accepts what a member says: it is stored together with what the leader and the mentioned hear. */
export function makeSendChannelMessage(deps: SendChannelMessageDeps) {
  return async (call: SendChannelMessageCall): Promise<ChannelMessage> => {
    const senderAgentId = check(call);
    const { userId, hops = 0 } = call.caller;
    const id = idOf(call);
    // The answer to a message accepted before may have been lost; its retry is no new message.
    const known = await deps.messages.find(userId, id);
    if (known) return known;
    const say = (channel: Channel | undefined): Sending =>
      sendingOf(channel, hops, { id, senderAgentId, text: call.text.trim(), sentAt: deps.now() });
    const sending = await deps.channelSending.send(userId, call.channelName, say);
    if (!sending) return (await deps.messages.find(userId, id)) ?? Promise.reject(noChannel());
    deps.wake(sending.drafts.map(({ lane }) => lane));
    return sending.message;
  };
}

function sendingOf(
  channel: Channel | undefined,
  hops: number,
  said: Pick<ChannelMessage, 'id' | 'senderAgentId' | 'text' | 'sentAt'>,
): Sending {
  if (!channel) throw noChannel();
  const member = memberOf(channel, said.senderAgentId);
  if (!member) throw notMember();
  const { mentions, agentIds } = listenersOf(channel, said.senderAgentId, said.text);
  const { userId, id: channelId, name } = channel;
  const message = { ...said, userId, channelId, senderUsername: member.username, mentions };
  return {
    message,
    drafts: agentIds.map((agentId) => draftChannelMessage(message, name, { agentId, hops })),
  };
}

/** For agents of the same user: they know of the channel anyway. */
export function notMember(): AppError {
  return new AppError('PERMISSION_DENIED', 'The agent is not a member of the channel');
}

export function noChannel(): AppError {
  return notFound('Channel');
}

/** The same for every retry of a call, and for nothing else. */
function idOf({ caller, requestId, channelName, text }: SendChannelMessageCall): string {
  const { userId, agentId = '' } = caller;
  return messageIdOf('channel-message', userId, agentId, channelName, requestId, text.trim());
}

function check({ caller, requestId, channelName, text }: SendChannelMessageCall): string {
  new FieldChecks()
    .requestId(requestId)
    .require(isChannelName(channelName), 'channel_name', nameRule)
    .text(text, 'text', textLimits)
    .done();
  if (caller.agentId) return caller.agentId;
  throw new AppError('FAILED_PRECONDITION', 'This call is made with the token of an agent');
}
