import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { HealthService } from '@daycare/contracts/health';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { SignalState, TopologyServiceService } from '@daycare/contracts/topology';
import type { AppName } from '@daycare/local-stack';
import { createRpcClient, type CallOptions, type ServiceContract } from '@daycare/rpc';

/** A call that needs only a valid token. */
export type Probe = (options: CallOptions) => Promise<unknown>;

/** A stream that stays open. */
export interface Watch {
  readonly open: (options: CallOptions) => AsyncIterable<unknown>;
  readonly close: () => void;
}

const page = { pageSize: 1, pageToken: '' };
const listSignalsRequest = { ...page, pattern: '', state: SignalState.UNSPECIFIED };

const listDeadLetters = (address: string): Probe => {
  const client = open(AgentRuntimeServiceService, address);
  return (options) => client.listDeadLetters({ ...page, agentId: '' }, options);
};

const openers: Readonly<Record<AppName, (address: string) => Probe>> = {
  identity: (address) => {
    const client = open(IdentityServiceService, address);
    return (options) => client.listSubusers(page, options);
  },
  'social-graph': (address) => {
    const client = open(SocialGraphServiceService, address);
    return (options) => client.listFriends(page, options);
  },
  'agent-runtime': listDeadLetters,
  gateway: listDeadLetters,
  topology: (address) => {
    const client = open(TopologyServiceService, address);
    return (options) => client.listSignals(listSignalsRequest, options);
  },
};

/** Prepares a user's cheap call to a service, or to agent-runtime through a gateway, with a client of its own. */
export function openProbe(app: AppName, address: string): Probe {
  return openers[app](address);
}

/** Prepares a cheap stream with a client of its own; a gateway offers none to anonymous callers. */
export function openWatch(app: AppName, address: string): Watch {
  if (app === 'gateway') {
    const client = open(AgentRuntimeServiceService, address);
    return {
      open: (options) => client.watchPermissionRequests({}, options),
      close: () => client.close(),
    };
  }
  const client = open(HealthService, address);
  return { open: (options) => client.watch({ service: '' }, options), close: () => client.close() };
}

function open<S extends ServiceContract>(contract: S, address: string) {
  return createRpcClient(contract, { address, timeoutMs: 10_000 });
}
