import { AppError, FieldChecks, notFound } from '@daycare/errors';
import { isChannelName, leave, nameRule, type Channel } from '../domain/channel';
import type { Viewer } from '../domain/facts';
import type { ChannelMessageStore } from '../store/channel-message-store';
import type { ChannelStore } from '../store/channel-store';
import type { ChangeChannel } from './change-channel';
import { messageIdOf } from './message-id';
import { agentOf, checkAgentId } from './own-agent';

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

/** Ends a membership; undefined when nobody is left and the channel is gone with all that was said in it. */
export function makeLeaveChannel(deps: LeaveChannelDeps) {
  return async (call: LeaveChannelCall): Promise<Channel | undefined> => {
    check(call);
    const { caller, requestId, channelName: name } = call;
    const agentId = agentOf(caller, call.agentId);
    const request = messageIdOf('leave', caller.agentId ?? '', requestId, agentId);
    const change = { userId: caller.userId, name, request, decide: leaving(agentId) };
    try {
      const channel = await deps.changeChannel(change);
      if (channel.members.length > 0) return channel;
      await deps.messages.deleteOfChannels([channel.id]);
      return undefined;
    } catch (error) {
      const isAbsent = error instanceof AppError && error.code === 'NOT_FOUND';
      if (isAbsent && (await deps.channels.wasEndedBy(caller.userId, name, request)))
        return undefined;
      throw error;
    }
  };
}

const sweptAgainForMs = 15 * 60 * 1000;

/**
 * Removes what was said in channels that nobody is left in: whoever left last may have died before it
 * could, and something may have been said at the same moment. To be run now and then by any replica.
 */
export function makeSweepChannels({
  channels,
  messages,
  now,
}: Pick<LeaveChannelDeps, 'channels' | 'messages'> & { readonly now: () => Date }) {
  return async (): Promise<void> => {
    const gone = await channels.listGone(new Date(now().getTime() - sweptAgainForMs));
    if (gone.length > 0) await messages.deleteOfChannels(gone);
  };
}

function leaving(agentId: string) {
  return (channel: Channel): Channel => {
    const left = leave(channel, agentId);
    if (!left) throw notFound('Member');
    return left;
  };
}

function check({ caller, requestId, channelName, agentId }: LeaveChannelCall): void {
  const checks = new FieldChecks()
    .requestId(requestId)
    .require(isChannelName(channelName), 'channel_name', nameRule);
  checkAgentId(checks, caller, agentId, 'agent_id').done();
}
