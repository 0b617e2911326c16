import { appNames } from '@daycare/local-stack';
import { formatPairs } from '@daycare/terminal';
import type { FloodFigures } from '../../support/load/flood/flood-caller';
import { faultsOf, runFlood, type TargetFigures } from '../../support/load/flood/run-flood';
import { startStack } from '../../support/stack/stack';
import type { SoakConfig } from './config';

const dayMs = 24 * 60 * 60_000;

/** The default limits of an installation (the e2e stacks lift them), and tokens that outlast the soak. */
const env = {
  DAYCARE_RATE_PER_SECOND: '100',
  DAYCARE_RATE_BURST: '200',
  DAYCARE_MAX_STREAMS_PER_USER: '32',
  DAYCARE_ACCESS_TOKEN_MS: String(dayMs),
};

/** Floods each service and a gateway from one anonymous address and one account; returns the exit code. */
export async function soakFlood(
  { seconds, only }: SoakConfig,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<number> {
  const targets = only === '' ? appNames : [only];
  report(
    `One anonymous address and one account at their limits, ${seconds} s against ${targets.join(', ')}`,
  );
  const stack = await startStack({ ownServers: true, env });
  const faults: string[] = [];
  try {
    for await (const figures of runFlood({ stack, targets, seconds, signal })) {
      report(format(figures));
      faults.push(...faultsOf(figures));
    }
  } finally {
    await stack.stop();
  }
  for (const fault of faults) report(`FAULT: ${fault}`);
  report(faults.length === 0 ? 'No faults.' : 'The limits do not protect others as they should.');
  return faults.length === 0 ? 0 : 1;
}

function format(figures: TargetFigures): string {
  const { app, calm, flooded, account, anonymous, cpuMicrosPerCall, resident } = figures;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const sampleEvery = Math.max(Math.ceil(resident.length / 12), 1);
  const pairs: [string, string][] = [
    ['p50 and p99 of other users without the flood', `${ms(calm.medianMs)} ${ms(calm.p99Ms)}`],
    ['p50 and p99 of other users during the flood', `${ms(flooded.medianMs)} ${ms(flooded.p99Ms)}`],
    ['other users: calls, failed', `${flooded.calls} ${flooded.failed}`],
    ['account: answered, failed, streams refused', countsOf(account)],
    ['anonymous: answered, failed, streams refused', countsOf(anonymous)],
    [
      'CPU time per call, without and during the flood',
      `${Math.round(cpuMicrosPerCall.calm)} µs ${Math.round(cpuMicrosPerCall.flooded)} µs`,
    ],
    ['resident, in MiB', resident.filter((_, index) => index % sampleEvery === 0).join(' ')],
  ];
  return `\n${app}\n${formatPairs(pairs)}`;
}

function countsOf({ answered, failed, streamsRefused }: FloodFigures): string {
  const codes = Object.entries(failed).map(([code, count]) => `${code} ${count}`);
  return [answered, codes.join(', ') || 'none', streamsRefused].join('; ');
}
