import {
  readPeerServiceConfig,
  type EnvReader,
  type PeerServiceConfig,
} from '@daycare/service-kit';
import { readEdgeConfig, type EdgeConfig } from './edge/server/edge-config';

export interface Config extends PeerServiceConfig {
  readonly edge: EdgeConfig;
  readonly agentRuntimeAddress: string;
  readonly socialGraphAddress: string;
  /** How often a watched view is composed when no hint announces a change. */
  readonly topologyPollMs: number;
}

export function readConfig(env: EnvReader): Config {
  const service = readPeerServiceConfig(env, 'topology');
  return env.done({
    ...service,
    agentRuntimeAddress: env.target('DAYCARE_AGENT_RUNTIME_ADDRESS', {
      about: 'the address of agent-runtime',
    }),
    socialGraphAddress: env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS', {
      about: 'the address of social-graph',
    }),
    topologyPollMs: env.integer('DAYCARE_TOPOLOGY_POLL_MS', {
      default: 5_000,
      min: 100,
      max: 600_000,
      about: 'how often a watched view is composed when no hint announces a change',
    }),
    edge: readEdgeConfig(env, service.serviceSecret),
  });
}
