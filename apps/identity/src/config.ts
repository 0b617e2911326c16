import {
  readMongoConfig,
  readServiceConfig,
  type EnvReader,
  type MongoConfig,
  type ServiceConfig,
} from '@daycare/service-kit';

export interface Config extends ServiceConfig, MongoConfig {}

export function readConfig(env: EnvReader): Config {
  return env.done({ ...readServiceConfig(env), ...readMongoConfig(env, 'identity') });
}
