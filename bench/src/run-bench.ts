import { startBenchStack, type BenchStack } from './bench-stack';
import { chooseProbes } from './choose-probes';
import type { Config } from './config';
import { sampleBusyShare } from './measure/busy-share';
import { hasH2Load } from './measure/h2load';
import { measureProbe, type MeasureOptions } from './measure/measure-probe';
import { readMachineFacts } from './report/machine-facts';
import { findFailures, withRatios, type Report } from './report/report';
import type { Cell, Result } from './report/result';

/**
 * One run: starts a stack, measures this machine's bare limits and then the product on it, stops it.
 * Throws when something cannot be measured or the signal is aborted; nothing is left running.
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
    const machine = readMachineFacts(stack);
    const { pace, quick, h2load } = config;
    const results = await measureAll(stack, config.only, { pace, h2load, signal, onCell });
    const failures = [...findFailures(results), ...stack.crashes];
    const tookMs = Date.now() - startedAt.getTime();
    const when = { startedAt: startedAt.toISOString(), tookMs };
    return { ...when, quick, pace, machine, results: withRatios(results), failures };
  } finally {
    await stack.stop();
  }
}

async function checkOptions({ only, h2load }: Config): Promise<void> {
  if (chooseProbes(only).length === 0) throw new Error(`nothing has "${only}" in its name`);
  if (h2load && !(await hasH2Load())) {
    throw new Error('--h2load needs h2load on the PATH; Debian has it in nghttp2-client');
  }
}

async function measureAll(
  stack: BenchStack,
  only: string,
  options: MeasureOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const probe of chooseProbes(only)) {
    const { name, baseline } = probe;
    const busyBefore = await sampleBusyShare(options.pace.restMs);
    const cells = await measureProbe(probe, stack, options);
    results.push({ name, baseline, busyBefore, cells });
  }
  return results;
}
