import { formatTable } from '@daycare/terminal';
import { launchChromium } from '../../support/console/launch-chromium';
import { runConsole, type ConsoleFigures } from '../../support/load/console/run-console';
import { startStack } from '../../support/stack/stack';
import type { SoakConfig } from './config';

const dayMs = 24 * 60 * 60_000;

/** Uses a large account's console in a browser while messages arrive; returns the exit code. */
export async function soakConsole(
  { seconds, precedence }: SoakConfig,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<number> {
  const env = { DAYCARE_ACCESS_TOKEN_MS: String(dayMs) };
  const services = ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'] as const;
  const stack = await startStack({ services, ownServers: true, env, timeoutMs: 60_000 });
  const browser = await launchChromium({ isFull: true });
  try {
    const options = { stack, browser, seconds, precedence, signal, report };
    const { faults, ...figures } = await runConsole(options);
    for (const line of linesOf(figures)) report(line);
    for (const fault of faults) report(`FAULT: ${fault}`);
    report(faults.length === 0 ? 'No faults.' : 'The console did not behave as expected.');
    return faults.length === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await stack.stop();
  }
}

function linesOf({
  measurements,
  cpuTimes,
  memory,
  rate,
}: Omit<ConsoleFigures, 'faults'>): string[] {
  const headings = [
    ...['count', 'median', 'p95', 'longest', 'computed', 'p95', 'at most'],
    ...['waited p95', 'handled p95', 'painted p95', 'worked', 'p95', 'at most'],
  ];
  const rows = [...measurements].map(([what, answers]) => {
    const ms = sorted(answers.map((answer) => answer.ms));
    const computed = answers.flatMap(({ computedMs }) => computedMs ?? []);
    const computedQuantiles = quantilesOf(computed);
    const inputs = answers.flatMap(({ input }) => input ?? []);
    const parts = (['waitedMs', 'handledMs', 'paintedMs'] as const).map((part) =>
      inputs.length > 0 ? quantile(sorted(inputs.map((input) => input[part])), 0.95) : '',
    );
    return [
      ...[what, String(ms.length), quantile(ms, 0.5), quantile(ms, 0.95), quantile(ms, 1)],
      ...[...computedQuantiles, ...parts, ...quantilesOf(cpuTimes.get(what))],
    ];
  });
  const columns = headings.map((heading) => ({ heading, align: 'right' as const }));
  return [
    formatTable([{ heading: '' }, ...columns], rows),
    `messages per second: ${rate.toFixed(1)}`,
    `heap after a collection, in MiB: ${memory.map(({ heap }) => heap).join(' ')}`,
    `nodes: ${memory.map(({ nodes }) => nodes).join(' ')}`,
    `listeners: ${memory.map(({ listeners }) => listeners).join(' ')}`,
  ];
}

/** Returns the median, the 95th percentile and the maximum; empty texts without samples. */
function quantilesOf(values: readonly number[] = []): readonly string[] {
  return [0.5, 0.95, 1].map((share) =>
    values.length === 0 ? '' : quantile(sorted(values), share),
  );
}

function sorted(values: readonly number[]): readonly number[] {
  return [...values].sort((one, other) => one - other);
}

function quantile(values: readonly number[], share: number): string {
  return `${Math.round(values[Math.ceil(share * values.length) - 1] ?? 0)} ms`;
}
