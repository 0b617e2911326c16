import type { EnvReader } from '@daycare/service-kit';
import type { ContextLimits } from './domain/context/request-limits';
import type { TurnLimits } from './loop/take-turn';

/** The limits on turns. */
export interface TurnsConfig {
  readonly contextLimits: ContextLimits;
  readonly turnLimits: TurnLimits;
  /** How many agents run turns concurrently in this process. */
  readonly maxTurns: number;
  /** How many of these agents may belong to one user and its subusers. */
  readonly maxTurnsPerUser: number;
  /** How many turns guests and outsiders may start per hour, for each owner. */
  readonly guestTurnsPerHour: number;
}

const dayMs = 24 * 60 * 60 * 1000;

export function readTurnsConfig(env: EnvReader): TurnsConfig {
  return {
    contextLimits: readContextLimits(env),
    turnLimits: readTurnLimits(env),
    maxTurns: env.integer('DAYCARE_MAX_TURNS', {
      default: 64,
      min: 1,
      max: 10_000,
      about: 'how many agents may run turns at the same time in a process',
    }),
    maxTurnsPerUser: env.integer('DAYCARE_MAX_TURNS_PER_USER', {
      default: 8,
      min: 1,
      max: 10_000,
      about: 'how many of these agents may belong to one user and its subusers',
    }),
    guestTurnsPerHour: env.integer('DAYCARE_GUEST_TURNS_PER_HOUR', {
      default: 120,
      min: 1,
      max: 1_000_000,
      about: 'how many turns guests and outsiders may start per hour, for each owner',
    }),
  };
}

function readContextLimits(env: EnvReader): ContextLimits {
  return {
    emergencyContextLimit: env.integer('DAYCARE_EMERGENCY_CONTEXT_LIMIT', {
      default: 200_000,
      min: 100,
      max: 100_000_000,
      about: "tokens: the largest context window to use, even if the model's is larger",
    }),
    compactAt:
      env.integer('DAYCARE_COMPACT_AT_PERCENT', {
        default: 80,
        min: 20,
        max: 95,
        about:
          'percentage of the context window at which the older part of a context is summarised',
      }) / 100,
    maxToolTokens: env.integer('DAYCARE_MAX_TOOL_TOKENS', {
      default: 4_000,
      min: 0,
      max: 1_000_000,
      about:
        'tokens for tool descriptions; tool families that do not fit are left out until an agent finds them with `tool_search`',
    }),
    maxOutputTokens: env.integer('DAYCARE_MAX_OUTPUT_TOKENS', {
      default: 0,
      min: 0,
      max: 1_000_000,
      about:
        "tokens: the longest answer to request from a model; must not exceed the limit of any model in use; 0 for each model's own limit",
    }),
  };
}

function readTurnLimits(env: EnvReader): TurnLimits {
  return {
    maxToolIterations: env.integer('DAYCARE_MAX_TOOL_ITERATIONS', {
      default: 25,
      min: 1,
      max: 1_000,
      about: 'how many rounds of tool calls a turn may have',
    }),
    maxToolCallsPerAnswer: env.integer('DAYCARE_MAX_TOOL_CALLS_PER_ANSWER', {
      default: 32,
      min: 1,
      max: 1_000,
      about: "how many tool calls a model's answer may contain; the rest are refused with an error",
    }),
    maxToolCallsPerTurn: env.integer('DAYCARE_MAX_TOOL_CALLS_PER_TURN', {
      default: 200,
      min: 1,
      max: 100_000,
      about: 'how many tool calls a turn may make',
    }),
    maxTurnMs: env.integer('DAYCARE_MAX_TURN_MS', {
      default: 30 * 60_000,
      min: 1_000,
      max: dayMs,
      about: 'how long a turn may work in total',
    }),
    maxWaitMs: env.integer('DAYCARE_MAX_WAIT_MS', {
      default: 6 * 60 * 60_000,
      min: 0,
      max: 30 * dayMs,
      about: 'how long work may wait for transient failures to end before it becomes a dead letter',
    }),
  };
}
