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
import type { RequestLimits } from './domain/request-budget';
import type { TiePolicy } from './domain/tie';

export interface Config extends ServiceConfig, MembershipConfig, MongoConfig, NatsConfig {
  readonly policy: TiePolicy;
  readonly limits: RequestLimits;
}

const dayMs = 24 * 60 * 60 * 1000;

export function readConfig(env: EnvReader): Config {
  const time = { min: 0, max: 365 * dayMs };
  const count = { min: 1, max: 1_000_000 };
  return env.done({
    ...readServiceConfig(env),
    ...readMembershipConfig(env),
    ...readMongoConfig(env, 'social-graph'),
    ...readNatsConfig(env),
    policy: {
      cooldownMs: env.integer('DAYCARE_FRIEND_COOLDOWN_MS', 7 * dayMs, time),
      requestNoticeEveryMs: env.integer('DAYCARE_FRIEND_NOTICE_EVERY_MS', dayMs, time),
    },
    limits: {
      perHour: env.integer('DAYCARE_FRIEND_REQUESTS_PER_HOUR', 50, count),
      pending: env.integer('DAYCARE_FRIEND_REQUESTS_PENDING', 200, count),
    },
  });
}
