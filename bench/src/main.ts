import { join } from 'node:path';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { echoServerRole, serveEcho } from './baselines/echo-server';
import { readConfig, usage, type Config } from './config';
import { formatMachineFacts } from './report/machine-facts';
import { describeDisturbance, writeReport, type Report } from './report/report';
import type { Cell } from './report/result';
import { formatCount, formatResults } from './report/result-table';
import { runBench } from './run-bench';

const interrupted = 130;

if (process.argv[2] === echoServerRole) serveEcho();
else void main();

async function main(): Promise<void> {
  const stopping = new AbortController();
  try {
    const config = readConfig(process.argv.slice(2));
    if (config.help) return console.log(usage);
    stopOnSignals(stopping);
    await benchAndReport(config, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(interrupted);
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

async function benchAndReport(config: Config, signal: AbortSignal): Promise<void> {
  const report = await runBench(config, signal, showProgress);
  const folder = join(findWorkspaceRoot(__dirname), 'bench-results');
  const file = await writeReport(report, folder);
  console.log(config.json ? JSON.stringify(report, null, 2) : formatReport(report));
  console.error(`\nWritten to ${file} and latest.json beside it.`);
  const busy = describeDisturbance(report.results);
  if (busy) console.error(`bench: ${busy}`);
  for (const failure of report.failures) console.error(`bench: ${failure}`);
  process.exit(report.failures.length > 0 ? 1 : 0);
}

function formatReport({ machine, results, tookMs }: Report): string {
  const took = `measured in ${Math.round(tookMs / 1_000)} s`;
  return `\n${formatMachineFacts(machine)}; ${took}\n\n${formatResults(results)}`;
}

function showProgress(name: string, { inFlight, requestsPerSecond }: Cell): void {
  const rate = `${formatCount(requestsPerSecond)} req/s`;
  console.error(
    `${name.padEnd(30)} ${String(inFlight).padStart(2)} in flight  ${rate.padStart(12)}`,
  );
}

/** The first signal stops everything in order, a second one at once. */
function stopOnSignals(stopping: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(interrupted);
      console.error('\nStopping…');
      stopping.abort();
    });
  }
}
