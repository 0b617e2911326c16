import { SignalState, type TopologyServiceService } from '@daycare/contracts/topology';
import type { RpcClient } from '@daycare/rpc';
import { fitList } from '../shared/text/fit-characters';
import type { Signals } from '../tools';
import { makeAsAgent, type Credential } from './as-agent';
import {
  maxListCharacters,
  toListedSignal,
  toSignalView,
  toSubscriptionView,
} from './wiring-views';

type Client = Pick<
  RpcClient<typeof TopologyServiceService>,
  'emitSignal' | 'subscribeSignal' | 'unsubscribeSignal' | 'listSignals'
>;

/** Implements signal operations by calling topology on behalf of an agent. */
export function makeSignals(topology: Client, credential: Credential): Signals {
  const asAgent = makeAsAgent(credential, 'topology');
  return {
    async emit(call, signalSpec) {
      const request = { requestId: call.requestId, ...signalSpec };
      const { signal } = await asAgent(call, (options) => topology.emitSignal(request, options));
      return toSignalView(signal);
    },
    async subscribe(call, pattern, silent) {
      const request = { requestId: call.requestId, pattern, silent, agentId: '' };
      const { subscription } = await asAgent(call, (options) =>
        topology.subscribeSignal(request, options),
      );
      return toSubscriptionView(subscription);
    },
    async unsubscribe(call, pattern) {
      const request = { requestId: call.requestId, pattern, agentId: '' };
      await asAgent(call, (options) => topology.unsubscribeSignal(request, options));
    },
    async list(call, pattern, limit) {
      const request = { pageSize: limit, pageToken: '', pattern, state: SignalState.UNSPECIFIED };
      const { signals } = await asAgent(call, (options) => topology.listSignals(request, options));
      return fitList(signals.map(toListedSignal), maxListCharacters);
    },
  };
}
