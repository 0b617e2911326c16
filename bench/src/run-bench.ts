import { setTimeout as delay } from 'node:timers/promises';
import { startBenchStack, type BenchStack } from './kit/bench-stack';
import { chooseProbes } from './choose-probes';
import type { Config } from './config';
import { restBetween, type Rest } from './counters/costs';
import { openCounters, type CounterReader } from './counters/read-counters';
import { BareLimits } from './measure/bare-limits';
import { sampleBusyShare } from './measure/busy-share';
import { hasH2Load } from './measure/h2load';
import { measureProbe, type MeasureOptions } from './measure/measure-probe';
import { readMachineFacts } from './report/machine-facts';
import { findFailures, withRatios, type Report } from './report/report';
import type { Cell, Result } from './measure/result';
import type { Workload } from './kit/workload';

/**
 * How long to wait before the stack at rest is measured, and for how long to measure it. Services that have
 * just started still build their indexes, take their leases, compile their code and, for a minute, collect the
 * garbage that starting up left behind.
 */
const fullRest = { settleMs: 70_000, restMs: 20_000 };
const quickRest = { settleMs: 2_000, restMs: 2_500 };

/**
 * Starts a stack, measures the bare limits of this machine and then the product, and stops the stack.
 * Throws when a probe fails or the signal is aborted; leaves nothing running in any case.
 */
export async function runBench(
  config: Config,
  signal: AbortSignal,
  onCell: (name: string, cell: Cell) => void,
): Promise<Report> {
  await checkOptions(config);
  const startedAt = new Date();
  const stack = await startBenchStack(config.env, signal);
  try {
    const counters = await openCounters(stack);
    try {
      const measured = await measure(stack, counters, config, { signal, onCell });
      const tookMs = Date.now() - startedAt.getTime();
      return { startedAt: startedAt.toISOString(), tookMs, ...measured };
    } finally {
      await counters.close();
    }
  } finally {
    await stack.stop();
  }
}

async function measure(
  stack: BenchStack,
  counters: CounterReader,
  config: Config,
  { signal, onCell }: Pick<MeasureOptions, 'signal' | 'onCell'>,
): Promise<Omit<Report, 'startedAt' | 'tookMs'>> {
  const machine = readMachineFacts(stack);
  const { pace, quick, h2load } = config;
  const rest = await measureRest(counters, quick ? quickRest : fullRest);
  const options = { pace, h2load, counters, idle: rest.perSecond, signal, onCell };
  const results = await measureAll(stack, chooseProbes(config), options);
  const failures = [...findFailures(results), ...stack.crashes];
  return { quick, pace, machine, rest, results: withRatios(results), failures };
}

async function checkOptions({ only, reach, h2load }: Config): Promise<void> {
  if (chooseProbes({ only, reach }).length === 0)
    throw new Error(`no selected probe has "${only}" in its name`);
  if (h2load && !(await hasH2Load())) {
    throw new Error('--h2load needs h2load on the PATH (Debian: nghttp2-client)');
  }
}

/** Measures the stack at rest, without any calls. */
async function measureRest(
  counters: CounterReader,
  { settleMs, restMs }: typeof fullRest,
): Promise<Rest> {
  await delay(settleMs);
  const before = await counters.read();
  await delay(restMs);
  return restBetween(before, await counters.read());
}

async function measureAll(
  stack: BenchStack,
  probes: readonly Workload[],
  options: Omit<MeasureOptions, 'limits'>,
): Promise<Result[]> {
  const results: Result[] = [];
  const limits = new BareLimits(options);
  try {
    await limits.open(stack, new Set(probes.flatMap(({ baseline }) => baseline)));
    for (const probe of probes) {
      await stack.scaleTo(probe.replicas ?? 1);
      const { name, baseline } = probe;
      const busyBefore = await sampleBusyShare(options.pace.restMs);
      const cells = await measureProbe(probe, stack, { ...options, limits });
      if (cells.length > 0) results.push({ name, baseline, busyBefore, cells });
    }
    return results;
  } finally {
    await limits.close();
  }
}
