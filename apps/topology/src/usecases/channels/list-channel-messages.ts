import {
  encodePageToken,
  FieldChecks,
  fitPage,
  type PageCursor,
  readPageToken,
} from '@daycare/api';
import {
  isChannelName,
  memberOf,
  nameRule,
  type ChannelMessage,
} from '../../domain/channels/channel';
import type { Viewer } from '../../domain/viewer';
import type { ChannelMessageStore } from '../../store/channel-message-store';
import type { ChannelStore } from '../../store/channel-store';
import { noChannel, notMember } from './send-channel-message';

export interface ListChannelMessagesCall {
  readonly caller: Viewer;
  readonly channelName: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ListChannelMessagesDeps {
  readonly channels: ChannelStore;
  readonly messages: ChannelMessageStore;
}

/** Lists a channel's messages, newest first, for its user and for agents that are members. */
export function makeListChannelMessages({ channels, messages }: ListChannelMessagesDeps) {
  return async (call: ListChannelMessagesCall) => {
    const { limit, before } = check(call);
    const { userId, agentId } = call.caller;
    const stored = await channels.find(userId, call.channelName);
    if (!stored) throw noChannel();
    if (agentId && !memberOf(stored.channel, agentId)) throw notMember();
    const channelId = stored.channel.id;
    const listed = await messages.list({ userId, channelId, before, limit: limit + 1 });
    const { page, last } = fitPage(listed, limit);
    const nextPageToken = last ? encodePageToken([last.sequence]) : '';
    return { messages: page as readonly ChannelMessage[], nextPageToken };
  };
}

function check(call: ListChannelMessagesCall) {
  const checks = new FieldChecks();
  checks.require(isChannelName(call.channelName), 'channel_name', nameRule);
  const limit = checks.pageSize(call.pageSize);
  const before = readPageToken(call.pageToken, checks, readCursor);
  checks.done();
  return { limit, before };
}

function readCursor([sequence, ...rest]: PageCursor): number | undefined {
  const isValid = Number.isInteger(sequence) && rest.length === 0;
  return isValid ? Number(sequence) : undefined;
}
