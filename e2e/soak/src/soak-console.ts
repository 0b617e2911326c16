import { launchChromium } from '../../support/console/launch-chromium';
import { runConsole, type ConsoleFigures } from '../../support/load/console/run-console';
import { startStack } from '../../support/stack/stack';
import type { SoakConfig } from './config';

const dayMs = 24 * 60 * 60_000;

/** The console of a large account, used in a browser while messages arrive; returns the exit code. */
export async function soakConsole(
  { seconds }: SoakConfig,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<number> {
  const env = { DAYCARE_ACCESS_TOKEN_MS: String(dayMs) };
  const services = ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'] as const;
  const stack = await startStack({ services, ownServers: true, env, timeoutMs: 60_000 });
  const browser = await launchChromium();
  try {
    const { faults, ...figures } = await runConsole({ stack, browser, seconds, signal, report });
    for (const line of linesOf(figures)) report(line);
    for (const fault of faults) report(`FAULT: ${fault}`);
    report(faults.length === 0 ? 'No faults.' : 'The console is slower or larger than it may be.');
    return faults.length === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await stack.stop();
  }
}

function linesOf({ measured, memory, rate }: Omit<ConsoleFigures, 'faults'>): string[] {
  const heading = ['', 'count', 'median', 'p95', 'longest', 'computed', 'at most'];
  const rows = [...measured].map(([what, answers]) => {
    const ms = sorted(answers.map((answer) => answer.ms));
    const computed = sorted(answers.flatMap(({ computedMs }) => computedMs ?? []));
    const shares = computed.length > 0 ? [at(computed, 0.5), at(computed, 1)] : [];
    return [what, String(ms.length), at(ms, 0.5), at(ms, 0.95), at(ms, 1), ...shares];
  });
  return [
    ...[heading, ...rows].map(
      ([what = '', ...rest]) => what.padEnd(46) + rest.map((text) => text.padStart(10)).join(''),
    ),
    `messages per second: ${rate.toFixed(1)}`,
    `heap after a collection, in MiB: ${memory.map(({ heap }) => heap).join(' ')}`,
    `nodes: ${memory.map(({ nodes }) => nodes).join(' ')}`,
    `listeners: ${memory.map(({ listeners }) => listeners).join(' ')}`,
  ];
}

function sorted(values: readonly number[]): readonly number[] {
  return [...values].sort((one, other) => one - other);
}

function at(values: readonly number[], share: number): string {
  return `${Math.round(values[Math.ceil(share * values.length) - 1] ?? 0)} ms`;
}
