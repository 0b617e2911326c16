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
import type { RunawayGuards } from './domain/runaway-guards';
import { readProviderConfig, type ProviderConfig } from './provider-config';
import { readSandboxConfig, type SandboxConfig } from './sandbox-config';

export interface Config extends ServiceConfig, MembershipConfig, MongoConfig, NatsConfig {
  readonly socialGraphAddress: string;
  readonly topologyAddress: string;
  /** How long an agent that nothing reaches stays awake. */
  readonly sleepAfterMs: number;
  /** In tokens; a context that has reached it is reset before the next turn. */
  readonly emergencyContextLimit: number;
  /** How often a model may ask for tools in one turn. */
  readonly maxToolIterations: number;
  /** How many agents take turns at once in this process. */
  readonly maxTurns: number;
  /** How many of them may be of one user. */
  readonly maxTurnsPerUser: number;
  readonly guards: RunawayGuards;
  /** How long a permission request waits for a decision. */
  readonly permissionTtlMs: number;
  /** How much faster than time the clock of schedules goes. */
  readonly scheduleSpeed: number;
  /** How often a user's heartbeats are run, by that clock. */
  readonly heartbeatEveryMs: number;
  readonly providers: ProviderConfig;
  /** How long a shard stays with a replica that has gone silent. */
  readonly leaseTtlMs: number;
  /** Where users' own files are; empty when they have none. */
  readonly usersDir: string;
  /** How much a user's directory may hold. */
  readonly homeQuotaBytes: number;
  readonly sandbox: SandboxConfig;
}

const dayMs = 24 * 60 * 60 * 1000;

export function readConfig(env: EnvReader): Config {
  return env.done({
    ...readServiceConfig(env),
    ...readMembershipConfig(env),
    ...readMongoConfig(env, 'agent-runtime'),
    ...readNatsConfig(env),
    socialGraphAddress: env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS'),
    topologyAddress: env.target('DAYCARE_TOPOLOGY_ADDRESS'),
    sleepAfterMs: env.integer('DAYCARE_AGENT_SLEEP_AFTER_MS', 10 * 60_000, { min: 1, max: dayMs }),
    emergencyContextLimit: env.integer('DAYCARE_EMERGENCY_CONTEXT_LIMIT', 200_000, {
      min: 100,
      max: 100_000_000,
    }),
    maxToolIterations: env.integer('DAYCARE_MAX_TOOL_ITERATIONS', 25, { min: 1, max: 1_000 }),
    maxTurns: env.integer('DAYCARE_MAX_TURNS', 64, { min: 1, max: 10_000 }),
    maxTurnsPerUser: env.integer('DAYCARE_MAX_TURNS_PER_USER', 8, { min: 1, max: 10_000 }),
    providers: readProviderConfig(env),
    permissionTtlMs: env.integer('DAYCARE_PERMISSION_TTL_MS', 15 * 60_000, { min: 1, max: dayMs }),
    scheduleSpeed: env.integer('DAYCARE_SCHEDULE_SPEED', 1, { min: 1, max: 3_600 }),
    heartbeatEveryMs: env.integer('DAYCARE_HEARTBEAT_EVERY_MS', 30 * 60_000, {
      min: 1_000,
      max: dayMs,
    }),
    guards: {
      maxHops: env.integer('DAYCARE_MAX_HOPS', 16, { min: 1, max: 1_000 }),
      maxSubagents: env.integer('DAYCARE_MAX_SUBAGENTS', 50, { min: 1, max: 100_000 }),
      maxDepth: env.integer('DAYCARE_MAX_SUBAGENT_DEPTH', 3, { min: 1, max: 100 }),
    },
    leaseTtlMs: env.integer('DAYCARE_LEASE_TTL_MS', 3_000, { min: 500, max: 60_000 }),
    usersDir: env.text('DAYCARE_USERS_DIR', ''),
    homeQuotaBytes: env.integer('DAYCARE_HOME_QUOTA_BYTES', 256 * 1024 * 1024, {
      min: 1024 * 1024,
      max: 1024 ** 4,
    }),
    sandbox: readSandboxConfig(env),
  });
}
