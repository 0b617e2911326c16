import { readServiceConfig, type EnvReader, type ServiceConfig } from '@daycare/service-kit';

export type Config = ServiceConfig;

export function readConfig(env: EnvReader): Config {
  return env.done(readServiceConfig(env));
}
