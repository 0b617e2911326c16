import { AppError, FieldChecks, messageIdOf, notFound } from '@daycare/api';
import {
  isChannelName,
  channelRecipients,
  memberOf,
  nameRule,
  type Channel,
  type ChannelMessage,
} from '../../domain/channels/channel';
import { trustOfText, type Viewer } from '../../domain/viewer';
import type { ChannelMessageStore } from '../../store/channel-message-store';
import type { ChannelMessageSender, PreparedMessage } from '../../store/channel-message-sender';
import { draftChannelMessage } from '../delivery-draft';

export interface SendChannelMessageCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly channelName: string;
  readonly text: string;
  readonly traceparent?: string | undefined;
}

export interface SendChannelMessageDeps {
  readonly messages: ChannelMessageStore;
  readonly messageSender: ChannelMessageSender;
  readonly wake: () => void;
  readonly now: () => Date;
}

const textLimits = { min: 1, max: 32_768 };

/** Stores a member's message together with its deliveries to the leader and the mentioned members. */
export function makeSendChannelMessage(deps: SendChannelMessageDeps) {
  return async (call: SendChannelMessageCall): Promise<ChannelMessage> => {
    const senderAgentId = check(call);
    const { userId, hops = 0, carriesPrivate = false } = call.caller;
    const id = idOf(call);
    // A retry after a lost response must not send a second message.
    const sentBefore = await deps.messages.find(userId, id);
    if (sentBefore) return sentBefore;
    const prepare = (channel: Channel | undefined): PreparedMessage =>
      prepareMessage(
        channel,
        { hops, traceparent: call.traceparent },
        {
          id,
          senderAgentId,
          text: call.text.trim(),
          trust: trustOfText(call.caller),
          carriesPrivate,
          sentAt: deps.now(),
        },
      );
    const prepared = await deps.messageSender.send(userId, call.channelName, prepare);
    if (!prepared) return (await deps.messages.find(userId, id)) ?? Promise.reject(noChannel());
    deps.wake();
    return prepared.message;
  };
}

function prepareMessage(
  channel: Channel | undefined,
  { hops, traceparent }: { readonly hops: number; readonly traceparent: string | undefined },
  content: Omit<ChannelMessage, 'userId' | 'channelId' | 'senderUsername' | 'mentions'>,
): PreparedMessage {
  if (!channel) throw noChannel();
  const member = memberOf(channel, content.senderAgentId);
  if (!member) throw notMember();
  const { mentions, agentIds } = channelRecipients(channel, content.senderAgentId, content.text);
  const { userId, id: channelId, name } = channel;
  const message = { ...content, userId, channelId, senderUsername: member.username, mentions };
  return {
    message,
    drafts: agentIds.map((agentId) => ({
      ...draftChannelMessage(message, name, agentId, hops),
      traceparent,
    })),
  };
}

/** PERMISSION_DENIED rather than NOT_FOUND, because all of the user's agents may see the channel. */
export function notMember(): AppError {
  return new AppError(
    'PERMISSION_DENIED',
    'The agent is not a member of this channel; join it first',
  );
}

export function noChannel(): AppError {
  return notFound('channel');
}

/** Returns an id that is equal for retries of a call and different for every other call. */
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
  throw new AppError(
    'FAILED_PRECONDITION',
    'Only an agent can send to a channel; call with an agent token',
  );
}
