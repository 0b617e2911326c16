import {
  readMembershipConfig,
  readServiceConfig,
  type EnvReader,
  type MembershipConfig,
  type ServiceConfig,
} from '@daycare/service-kit';

export interface Config extends ServiceConfig, MembershipConfig {}

export function readConfig(env: EnvReader): Config {
  return env.done({ ...readServiceConfig(env), ...readMembershipConfig(env) });
}
