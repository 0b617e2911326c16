import {
  readPeerServiceConfig,
  type EnvReader,
  type PeerServiceConfig,
} from '@daycare/service-kit';
import type { BudgetLimits } from '@daycare/messaging';
import type { RequestLimits } from './domain/request-budget';
import type { TiePolicy } from './domain/tie/tie';

export interface Config extends PeerServiceConfig {
  readonly agentRuntimeAddress: string;
  readonly policy: TiePolicy;
  readonly limits: RequestLimits;
  /** How much a user may send to another one; the recipient can lower it for a friend. */
  readonly addressLimits: BudgetLimits;
  /** How many nametags that do not exist a user may name, at once and per minute. */
  readonly notFoundPerMinute: number;
  /** How many users a user may block, at once and per hour. */
  readonly blocksPerHour: number;
}

const dayMs = 24 * 60 * 60 * 1000;

export function readConfig(env: EnvReader): Config {
  const time = { min: 0, max: 365 * dayMs };
  const count = { min: 1, max: 1_000_000 };
  return env.done({
    ...readPeerServiceConfig(env, 'social-graph'),
    agentRuntimeAddress: env.target('DAYCARE_AGENT_RUNTIME_ADDRESS'),
    policy: {
      cooldownMs: env.integer('DAYCARE_FRIEND_COOLDOWN_MS', 7 * dayMs, time),
      requestNoticeEveryMs: env.integer('DAYCARE_FRIEND_NOTICE_EVERY_MS', dayMs, time),
      offersPerHour: env.integer('DAYCARE_SHARE_OFFERS_PER_HOUR', 60, count),
      maxShares: env.integer('DAYCARE_SHARES_PER_FRIEND', 100, { min: 1, max: 100 }),
      maxBlocks: env.integer('DAYCARE_MAX_BLOCKS', 5_000, { min: 1, max: 100_000 }),
    },
    addressLimits: {
      perHour: env.integer('DAYCARE_MESSAGES_PER_HOUR', 600, count),
      waiting: env.integer('DAYCARE_MESSAGES_WAITING', 200, count),
    },
    notFoundPerMinute: env.integer('DAYCARE_NOT_FOUND_PER_MINUTE', 60, count),
    blocksPerHour: env.integer('DAYCARE_BLOCKS_PER_HOUR', 200, count),
    limits: {
      perHour: env.integer('DAYCARE_FRIEND_REQUESTS_PER_HOUR', 50, count),
      pending: env.integer('DAYCARE_FRIEND_REQUESTS_PENDING', 200, count),
    },
  });
}
