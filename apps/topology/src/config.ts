import {
  readMembershipConfig,
  readServiceConfig,
  type EnvReader,
  type MembershipConfig,
  type ServiceConfig,
} from '@daycare/service-kit';

export interface Config extends ServiceConfig, MembershipConfig {
  readonly agentRuntimeAddress: string;
  readonly socialGraphAddress: string;
}

export function readConfig(env: EnvReader): Config {
  return env.done({
    ...readServiceConfig(env),
    ...readMembershipConfig(env),
    agentRuntimeAddress: env.target('DAYCARE_AGENT_RUNTIME_ADDRESS'),
    socialGraphAddress: env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS'),
  });
}
