import {
  readPeerServiceConfig,
  type EnvReader,
  type PeerServiceConfig,
} from '@daycare/service-kit';
import type { AgentLimits, RunawayGuards, ToolRules } from './agents';
import { readTurnsConfig, type TurnsConfig } from './turns/turns-config';
import { readModelsConfig, type ModelsConfig } from './models/models-config';
import { parseToolRules } from './tools';
import { readSpendingConfig, type SpendingConfig } from './spending/spending-config';
import { readSandboxConfig, type SandboxConfig } from './exec/sandbox/sandbox-config';

export interface Config extends PeerServiceConfig, TurnsConfig {
  readonly socialGraphAddress: string;
  readonly topologyAddress: string;
  /** How long an agent stays awake without any activity. */
  readonly sleepAfterMs: number;
  /** How long a background agent may be idle before it ends. */
  readonly backgroundIdleMs: number;
  readonly guards: RunawayGuards;
  /** The loosest verdicts that any policy may allow, by tool and trust. */
  readonly toolCeiling: ToolRules;
  /** How many conversations, and how many permanent and app agents, an owner may have. */
  readonly agentLimits: AgentLimits;
  /** How long a permission request waits for a decision. */
  readonly permissionTtlMs: number;
  /** How much faster than real time the schedule clock runs. */
  readonly scheduleSpeed: number;
  /** How often a user's heartbeats run, measured by the schedule clock. */
  readonly heartbeatEveryMs: number;
  readonly models: ModelsConfig;
  /** How long a shard stays assigned to a replica that has stopped responding. */
  readonly leaseTtlMs: number;
  /** The folder that contains the users' directories; empty when users have none. */
  readonly usersDir: string;
  /** An owner's quota for directories and uploads, including those of its subusers. */
  readonly homeQuotaBytes: number;
  readonly sandbox: SandboxConfig;
  readonly spending: SpendingConfig;
}

const dayMs = 24 * 60 * 60 * 1000;

export function readConfig(env: EnvReader): Config {
  return env.done({
    ...readPeerServiceConfig(env, 'agent-runtime'),
    socialGraphAddress: env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS', {
      about: 'the address of social-graph',
    }),
    topologyAddress: env.target('DAYCARE_TOPOLOGY_ADDRESS', {
      about: 'the address of topology',
    }),
    sleepAfterMs: env.integer('DAYCARE_AGENT_SLEEP_AFTER_MS', {
      default: 10 * 60_000,
      min: 1,
      max: dayMs,
      about: 'how long an agent stays awake without any activity',
    }),
    ...readTurnsConfig(env),
    backgroundIdleMs: env.integer('DAYCARE_BACKGROUND_IDLE_MS', {
      default: dayMs,
      min: 1_000,
      max: 365 * dayMs,
      about: 'how long a background agent may be idle before it ends',
    }),
    models: readModelsConfig(env),
    permissionTtlMs: env.integer('DAYCARE_PERMISSION_TTL_MS', {
      default: 15 * 60_000,
      min: 1,
      max: dayMs,
      about: 'how long a permission request waits for a decision',
    }),
    ...readScheduleConfig(env),
    guards: readGuards(env),
    toolCeiling: readToolCeiling(env),
    agentLimits: readAgentLimits(env),
    leaseTtlMs: env.integer('DAYCARE_LEASE_TTL_MS', {
      default: 3_000,
      min: 500,
      max: 60_000,
      about: 'how long a shard stays assigned to a replica that has stopped responding',
    }),
    ...readHomesConfig(env),
    sandbox: readSandboxConfig(env),
    spending: readSpendingConfig(env),
  });
}

function readScheduleConfig(env: EnvReader): Pick<Config, 'scheduleSpeed' | 'heartbeatEveryMs'> {
  return {
    scheduleSpeed: env.integer('DAYCARE_SCHEDULE_SPEED', {
      default: 1,
      min: 1,
      max: 3_600,
      about:
        'the speed of the schedule clock as a multiple of real time; for testing only; must be the same on all replicas',
    }),
    heartbeatEveryMs: env.integer('DAYCARE_HEARTBEAT_EVERY_MS', {
      default: 30 * 60_000,
      min: 1_000,
      max: dayMs,
      about: "how often a user's heartbeats run, measured by the schedule clock",
    }),
  };
}

function readGuards(env: EnvReader): RunawayGuards {
  return {
    maxHops: env.integer('DAYCARE_MAX_HOPS', {
      default: 16,
      min: 1,
      max: 1_000,
      about:
        'the maximum length of a chain of messages between agents in which each causes the next',
    }),
    maxSubagents: env.integer('DAYCARE_MAX_SUBAGENTS', {
      default: 50,
      min: 1,
      max: 100_000,
      about: 'how many awake background agents an owner may have',
    }),
    maxDepth: env.integer('DAYCARE_MAX_SUBAGENT_DEPTH', {
      default: 3,
      min: 1,
      max: 100,
      about: 'how deeply background agents may be nested',
    }),
  };
}

function readToolCeiling(env: EnvReader): ToolRules {
  const rules = parseToolRules(
    env.text('DAYCARE_TOOL_CEILING', {
      default: '{}',
      takes: 'JSON: verdicts by tool and trust; see trust.md',
      about: 'the loosest verdicts that any policy may allow',
    }),
  );
  if (typeof rules !== 'string') return rules;
  env.problem(`DAYCARE_TOOL_CEILING ${rules}`);
  return {};
}

function readAgentLimits(env: EnvReader): AgentLimits {
  return {
    conversation: env.integer('DAYCARE_MAX_FOREGROUND_AGENTS', {
      default: 100,
      min: 1,
      max: 10_000,
      about: 'how many conversations an owner may have',
    }),
    named: env.integer('DAYCARE_MAX_NAMED_AGENTS', {
      default: 100,
      min: 1,
      max: 10_000,
      about: 'how many permanent and app agents an owner may have',
    }),
  };
}

function readHomesConfig(env: EnvReader): Pick<Config, 'usersDir' | 'homeQuotaBytes'> {
  return {
    usersDir: env.text('DAYCARE_USERS_DIR', {
      default: '',
      takes: 'a directory',
      about:
        "where users' homes, skills, apps and memory are; all replicas share it; without it agents have no files",
    }),
    homeQuotaBytes: env.integer('DAYCARE_HOME_QUOTA_BYTES', {
      default: 256 * 1024 * 1024,
      min: 1024 * 1024,
      max: 1024 ** 4,
      about: "an owner's quota for directories and uploads, including those of its subusers",
    }),
  };
}
