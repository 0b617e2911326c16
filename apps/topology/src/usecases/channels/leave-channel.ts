import { AppError, FieldChecks, messageIdOf, notFound } from '@daycare/api';
import { isChannelName, leave, nameRule, type Channel } from '../../domain/channels/channel';
import type { Viewer } from '../../domain/viewer';
import type { ChannelMessageStore } from '../../store/channel-message-store';
import type { ChannelStore } from '../../store/channel-store';
import type { ChangeChannel } from './change-channel';
import { resolveAgentId, checkAgentId } from '../check-own-agent';

export interface LeaveChannelCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly channelName: string;
  /** Empty for the calling agent. */
  readonly agentId: string;
}

export interface LeaveChannelDeps {
  readonly channels: ChannelStore;
  readonly messages: ChannelMessageStore;
  readonly changeChannel: ChangeChannel;
}

/** Ends a membership. If it was the last, deletes the channel with its messages and resolves with undefined. */
export function makeLeaveChannel(deps: LeaveChannelDeps) {
  return async (call: LeaveChannelCall): Promise<Channel | undefined> => {
    check(call);
    const { caller, requestId, channelName: name } = call;
    const agentId = resolveAgentId(caller, call.agentId);
    const request = messageIdOf('leave', caller.agentId ?? '', requestId, agentId);
    const change = { userId: caller.userId, name, request, decide: removeMember(agentId) };
    try {
      const channel = await deps.changeChannel(change);
      if (channel.members.length > 0) return channel;
      await deps.messages.deleteByChannels([channel.id]);
      return undefined;
    } catch (error) {
      const isAbsent = error instanceof AppError && error.code === 'NOT_FOUND';
      if (isAbsent && (await deps.channels.wasDeletedByRequest(caller.userId, name, request)))
        return undefined;
      throw error;
    }
  };
}

/** Each sweep covers the channels deleted within this time. */
const sweepWindowMs = 15 * 60 * 1000;

/**
 * Deletes the remaining messages of deleted channels: the replica that removed the last member may have crashed
 * before deleting them, or a message may have been sent concurrently. Every replica runs this regularly.
 */
export function makeSweepChannels({
  channels,
  messages,
  now,
}: Pick<LeaveChannelDeps, 'channels' | 'messages'> & { readonly now: () => Date }) {
  return async (): Promise<void> => {
    const deletedIds = await channels.listDeleted(new Date(now().getTime() - sweepWindowMs));
    if (deletedIds.length > 0) await messages.deleteByChannels(deletedIds);
  };
}

function removeMember(agentId: string) {
  return (channel: Channel): Channel => {
    const changed = leave(channel, agentId);
    if (!changed) throw notFound('member');
    return changed;
  };
}

function check({ caller, requestId, channelName, agentId }: LeaveChannelCall): void {
  const checks = new FieldChecks()
    .requestId(requestId)
    .require(isChannelName(channelName), 'channel_name', nameRule);
  checkAgentId(checks, caller, agentId, 'agent_id').done();
}
