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
  const heading = ['', 'count', 'median', 'p95', 'longest'];
  const rows = [...measured].map(([what, taken]) => {
    const sorted = [...taken].sort((one, other) => one - other);
    const at = (share: number): string =>
      `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)} ms`;
    return [what, String(sorted.length), at(0.5), at(0.95), at(1)];
  });
  return [
    ...[heading, ...rows].map(
      ([what = '', ...rest]) => what.padEnd(40) + rest.map((text) => text.padStart(10)).join(''),
    ),
    `messages per second: ${rate.toFixed(1)}`,
    `heap after a collection, in MiB: ${memory.map(({ heap }) => heap).join(' ')}`,
    `nodes: ${memory.map(({ nodes }) => nodes).join(' ')}`,
    `listeners: ${memory.map(({ listeners }) => listeners).join(' ')}`,
  ];
}
