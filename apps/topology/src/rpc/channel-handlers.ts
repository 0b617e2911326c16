import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import type { makeCreateChannel } from '../usecases/create-channel';
import type { makeJoinChannel } from '../usecases/join-channel';
import type { makeLeaveChannel } from '../usecases/leave-channel';
import type { makeListChannelMessages } from '../usecases/list-channel-messages';
import type { makeSendChannelMessage } from '../usecases/send-channel-message';
import { toChannel, toChannelMessage } from './channel-messages';
import { userOf } from './user-of';

export interface ChannelUsecases {
  readonly createChannel: ReturnType<typeof makeCreateChannel>;
  readonly joinChannel: ReturnType<typeof makeJoinChannel>;
  readonly leaveChannel: ReturnType<typeof makeLeaveChannel>;
  readonly sendChannelMessage: ReturnType<typeof makeSendChannelMessage>;
  readonly listChannelMessages: ReturnType<typeof makeListChannelMessages>;
}

/** The part of TopologyService that is about channels. */
export function channelHandlers(
  usecases: ChannelUsecases,
): Pick<Handlers<typeof TopologyServiceService>, keyof ChannelUsecases> {
  return {
    async createChannel(request, { caller, signal }) {
      const call = { ...request, caller: userOf(caller), signal };
      return { channel: toChannel(await usecases.createChannel(call)) };
    },
    async joinChannel(request, { caller, signal }) {
      const call = { ...request, caller: userOf(caller), signal };
      return { channel: toChannel(await usecases.joinChannel(call)) };
    },
    async leaveChannel(request, { caller }) {
      const channel = await usecases.leaveChannel({ ...request, caller: userOf(caller) });
      return { channel: channel && toChannel(channel) };
    },
    async sendChannelMessage(request, { caller }) {
      const call = { ...request, caller: userOf(caller) };
      return { message: toChannelMessage(await usecases.sendChannelMessage(call)) };
    },
    async listChannelMessages(request, { caller }) {
      const page = await usecases.listChannelMessages({ ...request, caller: userOf(caller) });
      return { messages: page.messages.map(toChannelMessage), nextPageToken: page.nextPageToken };
    },
  };
}
