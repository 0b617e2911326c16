import {
  readPeerServiceConfig,
  type EnvReader,
  type PeerServiceConfig,
} from '@daycare/service-kit';
import type { AgentLimits, RunawayGuards, ToolRules } from './agents';
import type { ContextLimits, TurnLimits } from './turns';
import { readModelsConfig, type ModelsConfig } from './models/models-config';
import { parseToolRules } from './tools';
import { readSpendingConfig, type SpendingConfig } from './spending/spending-config';
import { readSandboxConfig, type SandboxConfig } from './exec/sandbox/sandbox-config';

export interface Config extends PeerServiceConfig {
  readonly socialGraphAddress: string;
  readonly topologyAddress: string;
  /** How long an agent stays awake without receiving anything. */
  readonly sleepAfterMs: number;
  readonly contextLimits: ContextLimits;
  readonly turnLimits: TurnLimits;
  /** How long a background agent may have nothing to do before it ends. */
  readonly backgroundIdleMs: number;
  /** How many agents run turns concurrently in this process. */
  readonly maxTurns: number;
  /** How many of them may belong to one user and its subusers. */
  readonly maxTurnsPerUser: number;
  /** How many turns guests and outsiders may start per hour, for each owner. */
  readonly guestTurnsPerHour: number;
  readonly guards: RunawayGuards;
  /** The loosest verdicts that any policy may allow, by tool and trust. */
  readonly toolCeiling: ToolRules;
  /** How many lasting agents an owner may have. */
  readonly agentLimits: AgentLimits;
  /** How long a permission request waits for a decision. */
  readonly permissionTtlMs: number;
  /** How much faster than real time the schedule clock runs. */
  readonly scheduleSpeed: number;
  /** How often a user's heartbeats are run, by that clock. */
  readonly heartbeatEveryMs: number;
  readonly models: ModelsConfig;
  /** How long a shard stays assigned to a replica that has stopped responding. */
  readonly leaseTtlMs: number;
  /** Where users' own files are; empty when they have none. */
  readonly usersDir: string;
  /** The quota of a user's directory. */
  readonly homeQuotaBytes: number;
  readonly sandbox: SandboxConfig;
  readonly spending: SpendingConfig;
}

const dayMs = 24 * 60 * 60 * 1000;

export function readConfig(env: EnvReader): Config {
  return env.done({
    ...readPeerServiceConfig(env, 'agent-runtime'),
    socialGraphAddress: env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS'),
    topologyAddress: env.target('DAYCARE_TOPOLOGY_ADDRESS'),
    sleepAfterMs: env.integer('DAYCARE_AGENT_SLEEP_AFTER_MS', 10 * 60_000, { min: 1, max: dayMs }),
    contextLimits: {
      emergencyContextLimit: env.integer('DAYCARE_EMERGENCY_CONTEXT_LIMIT', 200_000, {
        min: 100,
        max: 100_000_000,
      }),
      compactAt: env.integer('DAYCARE_COMPACT_AT_PERCENT', 80, { min: 20, max: 95 }) / 100,
      maxToolTokens: env.integer('DAYCARE_MAX_TOOL_TOKENS', 4_000, { min: 0, max: 1_000_000 }),
      maxOutputTokens: env.integer('DAYCARE_MAX_OUTPUT_TOKENS', 0, { min: 0, max: 1_000_000 }),
    },
    turnLimits: {
      maxToolIterations: env.integer('DAYCARE_MAX_TOOL_ITERATIONS', 25, { min: 1, max: 1_000 }),
      maxToolCallsPerAnswer: env.integer('DAYCARE_MAX_TOOL_CALLS_PER_ANSWER', 32, {
        min: 1,
        max: 1_000,
      }),
      maxToolCallsPerTurn: env.integer('DAYCARE_MAX_TOOL_CALLS_PER_TURN', 200, {
        min: 1,
        max: 100_000,
      }),
      maxTurnMs: env.integer('DAYCARE_MAX_TURN_MS', 30 * 60_000, { min: 1_000, max: dayMs }),
      maxWaitMs: env.integer('DAYCARE_MAX_WAIT_MS', 6 * 60 * 60_000, { min: 0, max: 30 * dayMs }),
    },
    backgroundIdleMs: env.integer('DAYCARE_BACKGROUND_IDLE_MS', dayMs, {
      min: 1_000,
      max: 365 * dayMs,
    }),
    maxTurns: env.integer('DAYCARE_MAX_TURNS', 64, { min: 1, max: 10_000 }),
    maxTurnsPerUser: env.integer('DAYCARE_MAX_TURNS_PER_USER', 8, { min: 1, max: 10_000 }),
    guestTurnsPerHour: env.integer('DAYCARE_GUEST_TURNS_PER_HOUR', 120, {
      min: 1,
      max: 1_000_000,
    }),
    models: readModelsConfig(env),
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
    toolCeiling: readToolCeiling(env),
    agentLimits: {
      conversation: env.integer('DAYCARE_MAX_FOREGROUND_AGENTS', 100, { min: 1, max: 10_000 }),
      named: env.integer('DAYCARE_MAX_NAMED_AGENTS', 100, { min: 1, max: 10_000 }),
    },
    leaseTtlMs: env.integer('DAYCARE_LEASE_TTL_MS', 3_000, { min: 500, max: 60_000 }),
    usersDir: env.text('DAYCARE_USERS_DIR', ''),
    homeQuotaBytes: env.integer('DAYCARE_HOME_QUOTA_BYTES', 256 * 1024 * 1024, {
      min: 1024 * 1024,
      max: 1024 ** 4,
    }),
    sandbox: readSandboxConfig(env),
    spending: readSpendingConfig(env),
  });
}

function readToolCeiling(env: EnvReader): ToolRules {
  const rules = parseToolRules(env.text('DAYCARE_TOOL_CEILING', '{}'));
  if (typeof rules !== 'string') return rules;
  env.problem(`DAYCARE_TOOL_CEILING ${rules}`);
  return {};
}
