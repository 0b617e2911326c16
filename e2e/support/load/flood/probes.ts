import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { SignalState, TopologyServiceService } from '@daycare/contracts/topology';
import type { ServiceName } from '@daycare/local-stack';
import { createRpcClient, type CallOptions, type ServiceContract } from '@daycare/rpc';

/** A call that needs nothing but a valid token. */
export type Probe = (options: CallOptions) => Promise<unknown>;

const page = { pageSize: 1, pageToken: '' };
const signals = { ...page, pattern: '', state: SignalState.UNSPECIFIED };

const openers: Readonly<Record<ServiceName, (address: string) => Probe>> = {
  identity: (address) => {
    const client = open(IdentityServiceService, address);
    return (options) => client.listSubusers(page, options);
  },
  'social-graph': (address) => {
    const client = open(SocialGraphServiceService, address);
    return (options) => client.listFriends(page, options);
  },
  'agent-runtime': (address) => {
    const client = open(AgentRuntimeServiceService, address);
    return (options) => client.listDeadLetters({ ...page, agentId: '' }, options);
  },
  topology: (address) => {
    const client = open(TopologyServiceService, address);
    return (options) => client.listSignals(signals, options);
  },
};

/** A cheap call of a user to a service, over a connection of its own. */
export function openProbe(service: ServiceName, address: string): Probe {
  return openers[service](address);
}

function open<S extends ServiceContract>(contract: S, address: string) {
  return createRpcClient(contract, { address, timeoutMs: 10_000 });
}
