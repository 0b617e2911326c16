import type { MongoCounts } from './mongo-counters';

/** The counters of the servers and the kernel at one moment. */
export interface Counters {
  readonly atMs: number;
  /** Microseconds of CPU time by process. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** Microseconds of CPU time of the whole machine, other programs included. */
  readonly machineCpuUs: number;
  readonly mongo: MongoCounts;
  /** Messages that NATS has received; absent if its monitoring port does not respond. */
  readonly natsMessages?: number;
  /** Model calls; absent if the probe does not count them. */
  readonly modelCalls?: number;
}

/** The stack's activity per second without any calls. */
export interface IdleRates {
  readonly commands: number;
  readonly logSyncs: number;
  readonly natsMessages: number;
}

/** The average cost of one operation. */
export interface Costs {
  /** How many operations the costs are averaged over, including those before and after the measured time. */
  readonly operations: number;
  readonly cpuUs: number;
  /** By process. */
  readonly cpuUsBy: Readonly<Record<string, number>>;
  readonly mongoCommands: number;
  /** By the command's name. */
  readonly mongoCommandsBy: Readonly<Record<string, number>>;
  readonly logSyncs: number;
  readonly natsMessages?: number;
  readonly modelCalls?: number;
  /** The stack's and the bench's share of all CPU time used on the machine, from 0 to 1. */
  readonly ownShare: number;
}

/** The stack's activity without any calls. */
export interface Rest {
  /** CPU time of all processes but the bench, as a share of one core. */
  readonly coreShare: number;
  /** By process. */
  readonly coreShareBy: Readonly<Record<string, number>>;
  readonly perSecond: IdleRates;
}

/** Returns the activity between two readings: CPU time as a share of a core, and counts per second. */
export function restBetween(before: Counters, after: Counters): Rest {
  const seconds = Math.max(after.atMs - before.atMs, 1) / 1_000;
  const { bench: _self, ...used } = subtract(after.cpuUs, before.cpuUs);
  const coreShareBy = divide(used, seconds * 1_000_000);
  const perSecond = {
    commands: (after.mongo.commands - before.mongo.commands) / seconds,
    logSyncs: (after.mongo.logSyncs - before.mongo.logSyncs) / seconds,
    natsMessages: ((after.natsMessages ?? 0) - (before.natsMessages ?? 0)) / seconds,
  };
  return { coreShare: sum(coreShareBy), coreShareBy, perSecond };
}

/**
 * Divides the counts between two readings by the number of operations in that time. The stack's idle activity is
 * subtracted from the total counts, but not from the commands by name or the CPU time. Returns undefined if there
 * were no operations.
 */
export function costsBetween(
  before: Counters,
  after: Counters,
  operations: number,
  idle: IdleRates,
): Costs | undefined {
  if (operations === 0) return undefined;
  const seconds = (after.atMs - before.atMs) / 1_000;
  const perOperation = (count: number, idleRate = 0): number =>
    Math.max(0, count - idleRate * seconds) / operations;
  const cpuUsBy = divide(subtract(after.cpuUs, before.cpuUs), operations);
  const cpuUs = sum(cpuUsBy);
  const machineUs = (after.machineCpuUs - before.machineCpuUs) / operations;
  const { mongo } = after;
  return {
    operations,
    cpuUs,
    cpuUsBy,
    mongoCommands: perOperation(mongo.commands - before.mongo.commands, idle.commands),
    mongoCommandsBy: divide(subtract(mongo.byCommand, before.mongo.byCommand), operations),
    logSyncs: perOperation(mongo.logSyncs - before.mongo.logSyncs, idle.logSyncs),
    ...(after.natsMessages === undefined || before.natsMessages === undefined
      ? {}
      : {
          natsMessages: perOperation(after.natsMessages - before.natsMessages, idle.natsMessages),
        }),
    ...(after.modelCalls === undefined || before.modelCalls === undefined
      ? {}
      : { modelCalls: perOperation(after.modelCalls - before.modelCalls) }),
    ownShare: machineUs > 0 ? Math.min(1, cpuUs / machineUs) : 1,
  };
}

type Counts = Readonly<Record<string, number>>;

/** Subtracts each count; counts that did not grow are left out. */
function subtract(after: Counts, before: Counts): Record<string, number> {
  const grown = Object.entries(after).map(
    ([name, count]) => [name, count - (before[name] ?? 0)] as const,
  );
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}

function divide(counts: Counts, divisor: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / divisor]));
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
