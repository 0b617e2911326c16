import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { echoServerRole, serveEcho } from './baselines/echo-server';
import { readConfig, usage, type Config } from './config';
import { formatMachineFacts } from './report/machine-facts';
import { describeDisturbance, writeReport, type Report } from './report/report';
import { rateOf, type Cell } from './measure/result';
import { formatCpuTable } from './report/cpu-table';
import { formatCount } from './report/format-number';
import { formatResults } from './report/result-table';
import { compareReports } from './compare/compare-reports';
import { drawCharts } from './plot/charts';
import { readReport } from './report/read-report';
import { openProfile } from './profile/open-profile';
import { runBench } from './run-bench';

const interruptedExitCode = 130;

if (process.argv[2] === echoServerRole) serveEcho();
else void main();

async function main(): Promise<void> {
  const stopping = new AbortController();
  try {
    const config = readConfig(process.argv.slice(2));
    if (config.help) return console.log(usage);
    if (config.compare) return await printComparison(config.files);
    if (config.plot) return await writeCharts(config.files);
    stopOnSignals(stopping);
    await benchAndReport(config, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(interruptedExitCode);
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

async function printComparison(files: readonly string[]): Promise<void> {
  const [before, after] = await Promise.all(files.map(readReport));
  console.log(compareReports(before!, after!));
}

async function writeCharts(files: readonly string[]): Promise<void> {
  const reports = await Promise.all(files.map(readReport));
  const labels = reports.length === 1 ? [''] : ['before', 'after'];
  const runs = reports.map((report, index) => ({ label: labels[index]!, report }));
  const folder = join(findWorkspaceRoot(__dirname), 'docs', 'performance');
  await mkdir(folder, { recursive: true });
  for (const { name, svg } of drawCharts(runs)) await writeFile(join(folder, name), svg);
  console.log(`Charts written to ${folder}`);
}

async function benchAndReport(config: Config, signal: AbortSignal): Promise<void> {
  const profile = config.profile ? await openProfile(config.env) : undefined;
  const report = await runBench(
    { ...config, ...(profile && { env: profile.env }) },
    signal,
    showProgress,
  );
  const folder = join(findWorkspaceRoot(__dirname), 'bench-results');
  const file = await writeReport(report, folder);
  console.log(config.json ? JSON.stringify(report, null, 2) : formatReport(report));
  if (profile) console.log(`\n${await profile.format()}`);
  console.error(`\nReport written to ${file} and to latest.json in the same folder.`);
  const disturbance = describeDisturbance(report.results);
  if (disturbance) console.error(`bench: ${disturbance}`);
  for (const failure of report.failures) console.error(`bench: ${failure}`);
  process.exit(report.failures.length > 0 ? 1 : 0);
}

function formatReport({ machine, rest, results, tookMs }: Report): string {
  const took = `measured in ${Math.round(tookMs / 1_000)} s`;
  const tables = [formatResults(results), formatCpuTable(results)].join('\n\n');
  const idle = `at rest: ${(rest.coreShare * 100).toFixed(1)} % of a core`;
  return `\n${formatMachineFacts(machine)}; ${took}; ${idle}\n\n${tables}`;
}

function showProgress(name: string, cell: Cell): void {
  const { inFlight } = cell;
  const rate = `${formatCount(rateOf(cell))}/s`;
  console.error(
    `${name.padEnd(52)} ${String(inFlight).padStart(3)} in flight  ${rate.padStart(12)}`,
  );
}

/** The first signal stops everything in an orderly way; a second one exits immediately. */
function stopOnSignals(stopping: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(interruptedExitCode);
      console.error('\nStopping…');
      stopping.abort();
    });
  }
}
