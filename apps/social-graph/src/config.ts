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
  /** How much one user may send to another; the recipient can lower it for a friend. */
  readonly addressLimits: BudgetLimits;
  /**
   * How many unknown nametags a user may look up per minute; all of them may come in one burst. Each replica counts
   * separately.
   */
  readonly notFoundPerMinute: number;
  /** How many users a user may block per hour; all of them may come in one burst. Each replica counts separately. */
  readonly blocksPerHour: number;
}

const dayMs = 24 * 60 * 60 * 1000;

export function readConfig(env: EnvReader): Config {
  const time = { min: 0, max: 365 * dayMs };
  const count = { min: 1, max: 1_000_000 };
  return env.done({
    ...readPeerServiceConfig(env, 'social-graph'),
    agentRuntimeAddress: env.target('DAYCARE_AGENT_RUNTIME_ADDRESS', {
      about: 'the address of agent-runtime',
    }),
    policy: {
      cooldownMs: env.integer('DAYCARE_FRIEND_COOLDOWN_MS', {
        default: 7 * dayMs,
        ...time,
        about:
          'how long a user must wait before sending another friend request to someone with whom they ended a friendship, or who declined their request',
      }),
      requestNoticeEveryMs: env.integer('DAYCARE_FRIEND_NOTICE_EVERY_MS', {
        default: dayMs,
        ...time,
        about: 'minimum time between notices of repeated requests from one user to another',
      }),
      offersPerHour: env.integer('DAYCARE_SHARE_OFFERS_PER_HOUR', {
        default: 60,
        ...count,
        about: 'how many subusers a user may offer a friend per hour',
      }),
      maxShares: env.integer('DAYCARE_SHARES_PER_FRIEND', {
        default: 100,
        min: 1,
        max: 100,
        about: 'how many subusers two friends may share with each other in total',
      }),
      maxBlocks: env.integer('DAYCARE_MAX_BLOCKS', {
        default: 5_000,
        min: 1,
        max: 100_000,
        about: 'how many users a user may have blocked',
      }),
    },
    addressLimits: {
      perHour: env.integer('DAYCARE_MESSAGES_PER_HOUR', {
        default: 600,
        ...count,
        about:
          'how many messages one user may send to another per hour; the recipient can lower it for a friend',
      }),
      waiting: env.integer('DAYCARE_MESSAGES_WAITING', {
        default: 200,
        ...count,
        about: 'how many messages from one user to another may wait to be handled',
      }),
    },
    notFoundPerMinute: env.integer('DAYCARE_NOT_FOUND_PER_MINUTE', {
      default: 60,
      ...count,
      about:
        'how many unknown nametags a user may look up per minute; all of these lookups may come in one burst',
    }),
    blocksPerHour: env.integer('DAYCARE_BLOCKS_PER_HOUR', {
      default: 200,
      ...count,
      about: 'how many users a user may block per hour; all of these blocks may come in one burst',
    }),
    limits: {
      perHour: env.integer('DAYCARE_FRIEND_REQUESTS_PER_HOUR', {
        default: 50,
        ...count,
        about: 'how many friend requests a user may send per hour',
      }),
      pending: env.integer('DAYCARE_FRIEND_REQUESTS_PENDING', {
        default: 200,
        ...count,
        about: "how many of a user's friend requests may be unanswered",
      }),
    },
  });
}
