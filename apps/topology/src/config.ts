import {
  readMembershipConfig,
  readMongoConfig,
  readNatsConfig,
  readServiceConfig,
  type EnvReader,
  type MembershipConfig,
  type MongoConfig,
  type NatsConfig,
  type ServiceConfig,
} from '@daycare/service-kit';
import { readEdgeConfig, type EdgeConfig } from './edge-config';

export interface Config extends ServiceConfig, MembershipConfig, MongoConfig, NatsConfig {
  readonly agentRuntimeAddress: string;
  readonly socialGraphAddress: string;
  /** How often a watched view is composed although nobody hinted at a change. */
  readonly topologyPollMs: number;
  readonly edge: EdgeConfig;
}

export function readConfig(env: EnvReader): Config {
  return env.done({
    ...readServiceConfig(env),
    ...readMembershipConfig(env),
    ...readMongoConfig(env, 'topology'),
    ...readNatsConfig(env),
    agentRuntimeAddress: env.target('DAYCARE_AGENT_RUNTIME_ADDRESS'),
    socialGraphAddress: env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS'),
    topologyPollMs: env.integer('DAYCARE_TOPOLOGY_POLL_MS', 5_000, { min: 100, max: 600_000 }),
    edge: readEdgeConfig(env),
  });
}
