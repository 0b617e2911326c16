import type { TopologyServiceService } from '@daycare/contracts/topology';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { makeCreateChannel } from '../usecases/channels/create-channel';
import type { makeJoinChannel } from '../usecases/channels/join-channel';
import type { makeLeaveChannel } from '../usecases/channels/leave-channel';
import type { makeListChannelMessages } from '../usecases/channels/list-channel-messages';
import type { makeSendChannelMessage } from '../usecases/channels/send-channel-message';
import type { makeForwardAgentMessage } from '../usecases/direct/forward-agent-message';
import { toChannel, toChannelMessage } from './channel-messages';

export interface ChannelUsecases {
  readonly createChannel: ReturnType<typeof makeCreateChannel>;
  readonly joinChannel: ReturnType<typeof makeJoinChannel>;
  readonly leaveChannel: ReturnType<typeof makeLeaveChannel>;
  readonly sendChannelMessage: ReturnType<typeof makeSendChannelMessage>;
  readonly listChannelMessages: ReturnType<typeof makeListChannelMessages>;
  readonly forwardAgentMessage: ReturnType<typeof makeForwardAgentMessage>;
}

/** The channel methods, and ForwardAgentMessage, which queues a direct message behind channel messages and signals. */
export function channelHandlers(
  usecases: ChannelUsecases,
): Pick<Handlers<typeof TopologyServiceService>, keyof ChannelUsecases> {
  return {
    async createChannel(request, { caller, signal }) {
      const call = { ...request, caller: requireUser(caller), signal };
      return { channel: toChannel(await usecases.createChannel(call)) };
    },
    async joinChannel(request, { caller, signal }) {
      const call = { ...request, caller: requireUser(caller), signal };
      return { channel: toChannel(await usecases.joinChannel(call)) };
    },
    async leaveChannel(request, { caller }) {
      const channel = await usecases.leaveChannel({ ...request, caller: requireUser(caller) });
      return { channel: channel && toChannel(channel) };
    },
    async sendChannelMessage(request, { caller, traceparent }) {
      const call = { ...request, caller: requireUser(caller), traceparent };
      return { message: toChannelMessage(await usecases.sendChannelMessage(call)) };
    },
    async listChannelMessages(request, { caller }) {
      const page = await usecases.listChannelMessages({ ...request, caller: requireUser(caller) });
      return { messages: page.messages.map(toChannelMessage), nextPageToken: page.nextPageToken };
    },
    async forwardAgentMessage(request, { caller, traceparent }) {
      const call = { ...request, caller: requireUser(caller), traceparent };
      return { accepted: await usecases.forwardAgentMessage(call) };
    },
  };
}
