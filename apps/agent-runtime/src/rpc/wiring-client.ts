import { SignalState, type TopologyServiceService } from '@daycare/contracts/topology';
import type { RpcClient } from '@daycare/rpc';
import { fitCharacters } from '../domain/fit-characters';
import type { AgentCall } from '../usecases/agent-call';
import { makeAsAgent, type Credential } from './as-agent';
import {
  toChannelAnswer,
  toChannelMessageAnswer,
  toSignalAnswer,
  toSubscriptionAnswer,
} from './wiring-answers';

type Client = Omit<RpcClient<typeof TopologyServiceService>, 'close'>;

/** What a tool may answer, with room for what is around a list. */
const mostCharacters = 7_500;

export interface SignalWish {
  readonly type: string;
  readonly dataJson: string;
  readonly delayMs: number;
  readonly repeatKey: string;
}

/** What an agent can do about signals. The rules are topology's; it knows which agent calls. */
export type Signals = ReturnType<typeof makeSignals>;

export function makeSignals(topology: Client, credential: Credential) {
  const asAgent = makeAsAgent(credential, 'topology');
  return {
    async emit(call: AgentCall, wish: SignalWish) {
      const request = { requestId: call.requestId, ...wish };
      const { signal } = await asAgent(call, (options) => topology.emitSignal(request, options));
      return toSignalAnswer(signal);
    },
    async subscribe(call: AgentCall, pattern: string, silent: boolean | undefined) {
      const request = { requestId: call.requestId, pattern, silent, agentId: '' };
      const { subscription } = await asAgent(call, (options) =>
        topology.subscribeSignal(request, options),
      );
      return toSubscriptionAnswer(subscription);
    },
    async unsubscribe(call: AgentCall, pattern: string) {
      const request = { requestId: call.requestId, pattern, agentId: '' };
      await asAgent(call, (options) => topology.unsubscribeSignal(request, options));
    },
    async list(call: AgentCall, pattern: string, limit: number) {
      const request = { pageSize: limit, pageToken: '', pattern, state: SignalState.UNSPECIFIED };
      const { signals } = await asAgent(call, (options) => topology.listSignals(request, options));
      return fitCharacters(signals.map(toSignalAnswer), mostCharacters);
    },
  };
}

/** The same about channels. */
export type Channels = ReturnType<typeof makeChannels>;

export function makeChannels(topology: Client, credential: Credential) {
  const asAgent = makeAsAgent(credential, 'topology');
  return {
    async create({ requestId, ...call }: AgentCall, name: string, leaderUsername: string) {
      const request = { requestId, name, leaderAgentId: '', leaderUsername };
      const { channel } = await asAgent(call, (options) =>
        topology.createChannel(request, options),
      );
      return toChannelAnswer(channel);
    },
    async join({ requestId, ...call }: AgentCall, channelName: string, username: string) {
      const request = { requestId, channelName, username, agentId: '' };
      const { channel } = await asAgent(call, (options) => topology.joinChannel(request, options));
      return toChannelAnswer(channel);
    },
    /** Undefined when the channel is gone with its last member. */
    async leave({ requestId, ...call }: AgentCall, channelName: string) {
      const request = { requestId, channelName, agentId: '' };
      const { channel } = await asAgent(call, (options) => topology.leaveChannel(request, options));
      return channel && toChannelAnswer(channel);
    },
    async send({ requestId, ...call }: AgentCall, channelName: string, text: string) {
      const request = { requestId, channelName, text };
      const { message } = await asAgent(call, (options) =>
        topology.sendChannelMessage(request, options),
      );
      return toChannelMessageAnswer(message);
    },
    async history(call: Omit<AgentCall, 'requestId'>, channelName: string, limit: number) {
      const request = { channelName, pageSize: limit, pageToken: '' };
      const { messages } = await asAgent(call, (options) =>
        topology.listChannelMessages(request, options),
      );
      return fitCharacters(messages.map(toChannelMessageAnswer), mostCharacters);
    },
  };
}
