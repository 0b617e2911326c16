import { formatPairs } from '@daycare/terminal';
import { openMemoryGauge } from '../../support/load/contexts/replica-memory';
import { runContexts, type ContextsFigures } from '../../support/load/contexts/run-contexts';
import { agentServices, startStack } from '../../support/stack/stack';
import type { SoakConfig } from './config';

const dayMs = 24 * 60 * 60_000;

/** Runs `turns` turns of one agent whose model has a small window; returns the exit code. */
export async function soakContexts(
  { turns, window, bytesPerToken, hostile: hasHostileFriend }: SoakConfig,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<number> {
  const friend = hasHostileFriend
    ? '; every other message is from a friend who tries to overflow it'
    : '';
  report(`${turns} turns of one agent with a window of ${window} tokens${friend}`);
  const env = { DAYCARE_ACCESS_TOKEN_MS: String(dayMs) };
  const gauge = await openMemoryGauge();
  const stack = await startStack({
    services: agentServices,
    ownServers: true,
    env,
    envOf: { 'agent-runtime': gauge.env },
  });
  try {
    const options = {
      stack,
      gauge,
      turns,
      window,
      bytesPerToken,
      hasHostileFriend,
      signal,
      report,
    };
    const { faults, ...figures } = await runContexts(options);
    report(format(figures));
    for (const fault of faults) report(`FAULT: ${fault}`);
    report(faults.length === 0 ? 'No faults.' : 'The agent did not behave as expected.');
    return faults.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
    await gauge.close();
  }
}

function format(figures: Omit<ContextsFigures, 'faults'>): string {
  return formatPairs([
    ['turns (all messages were answered)', `${figures.turns}`],
    ['model calls', `${figures.calls}`],
    ['summaries', `${figures.summaries}`],
    ['requests refused as too large', `${figures.refusals}`],
    ['largest request, in tokens', `${figures.largest}`],
    ['images in requests', `${figures.images}`],
    ['seconds', `${figures.seconds}`],
    ['heap after a collection, in MiB', figures.memory.map(({ heap }) => heap).join(' ')],
    ['buffers, in MiB', figures.memory.map(({ buffers }) => buffers).join(' ')],
    ['resident, in MiB', figures.memory.map(({ resident }) => resident).join(' ')],
  ]);
}
