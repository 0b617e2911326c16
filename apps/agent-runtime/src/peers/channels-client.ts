import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { RpcClient } from '@daycare/rpc';
import { fitList } from '../shared/text/fit-characters';
import type { Channels } from '../tools';
import { makeAsAgent, type Credential } from './as-agent';
import {
  maxListCharacters,
  toChannelMessageView,
  toChannelView,
  toListedMessage,
} from './wiring-views';

type Client = Pick<
  RpcClient<typeof TopologyServiceService>,
  'createChannel' | 'joinChannel' | 'leaveChannel' | 'sendChannelMessage' | 'listChannelMessages'
>;

/** Implements channel operations by calling topology on behalf of an agent. */
export function makeChannels(topology: Client, credential: Credential): Channels {
  const asAgent = makeAsAgent(credential, 'topology');
  return {
    async create({ requestId, ...call }, name, leaderUsername) {
      const request = { requestId, name, leaderAgentId: '', leaderUsername };
      const { channel } = await asAgent(call, (options) =>
        topology.createChannel(request, options),
      );
      return toChannelView(channel);
    },
    async join({ requestId, ...call }, channelName, username) {
      const request = { requestId, channelName, username, agentId: '' };
      const { channel } = await asAgent(call, (options) => topology.joinChannel(request, options));
      return toChannelView(channel);
    },
    async leave({ requestId, ...call }, channelName) {
      const request = { requestId, channelName, agentId: '' };
      const { channel } = await asAgent(call, (options) => topology.leaveChannel(request, options));
      return channel && toChannelView(channel);
    },
    async send({ requestId, ...call }, channelName, text) {
      const request = { requestId, channelName, text };
      const { message } = await asAgent(call, (options) =>
        topology.sendChannelMessage(request, options),
      );
      return toChannelMessageView(message);
    },
    async history(call, channelName, limit) {
      const request = { channelName, pageSize: limit, pageToken: '' };
      const { messages } = await asAgent(call, (options) =>
        topology.listChannelMessages(request, options),
      );
      return fitList(messages.map(toListedMessage), maxListCharacters);
    },
  };
}
