import { formatPairs } from '@daycare/terminal';
import { warmCodeCaches } from '@daycare/testing';
import { agentServices, startStack } from '../../support/stack/stack';
import { killReplicas, runStorm, type StormFigures } from '../../support/load/message-storm';
import { floodOption, runFloodProcess } from '../../support/load/flood/flood-process';
import { readConfig, usage, type SoakConfig } from './config';
import { soakConsole } from './soak-console';
import { soakContexts } from './soak-contexts';
import { soakFlood } from './soak-flood';
import { soakRevocations } from './soak-revocations';
import { soakStreams } from './soak-streams';
import { soakSizes } from './soak-sizes';
import { soakUpgrade } from './soak-upgrade';

const hourMs = 60 * 60_000;
const interruptedExitCode = 130;

void main();

/** Runs the soak that the options select. */
async function main(): Promise<void> {
  try {
    const [option] = process.argv.slice(2);
    if (option === floodOption) return await runFloodProcess().then(() => process.exit(0));
    const config = readConfig(process.argv.slice(2));
    if (config.help) return say(usage);
    if (config.flood) process.exit(await soakFlood(config, stopOnSignals(), say));
    if (config.revocations > 0) process.exit(await soakRevocations(config, stopOnSignals(), say));
    if (config.gatewayStreams > 0) process.exit(await soakStreams(config, stopOnSignals(), say));
    if (config.sizes > 0) process.exit(await soakSizes(config.sizes, say));
    if (config.console) process.exit(await soakConsole(config, stopOnSignals(), say));
    if (config.upgradeFrom) process.exit(await soakUpgrade(config.upgradeFrom, say));
    if (config.contexts) process.exit(await soakContexts(config, stopOnSignals(), say));
    const { faults, ...figures } = await soak(config, stopOnSignals());
    say(formatFigures(figures));
    for (const fault of faults) say(`FAULT: ${fault}`);
    const unsent = config.messages - figures.messages;
    if (unsent > 0) say(`Interrupted: ${unsent} messages were not sent.`);
    say(faults.length === 0 ? 'No faults.' : 'The records are wrong.');
    process.exit(faults.length > 0 ? 1 : unsent > 0 ? interruptedExitCode : 0);
  } catch (error) {
    process.stderr.write(`soak: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Sends messages to agents while the replicas that run these agents are killed, and checks that nothing went wrong. */
async function soak(config: SoakConfig, signal: AbortSignal): Promise<StormFigures> {
  const { messages: messageCount, agents: agentCount, senders: senderCount, seed } = config;
  const { replicas, killEveryMs } = config;
  say(
    `${messageCount} messages from ${senderCount} senders to ${agentCount} agents on ` +
      `${replicas} replicas; one or more are killed every ${killEveryMs} ms; seed ${seed}`,
  );
  await warmCodeCaches({ ownServers: true });
  const env = { DAYCARE_ACCESS_TOKEN_MS: String(24 * hourMs) };
  const stack = await startStack({
    services: agentServices,
    replicas: { 'agent-runtime': replicas },
    ownServers: true,
    ownCluster: config.cluster,
    env,
  });
  try {
    const disturb = killReplicas(stack, killEveryMs, seed);
    const size = { agentCount, senderCount, messageCount, seed };
    return await runStorm({ stack, ...size, disturb, signal, report: say });
  } finally {
    await stack.stop();
  }
}

function formatFigures(figures: Omit<StormFigures, 'faults'>): string {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const { sendingMs, handlingMs, ...counts } = figures;
  return formatPairs([
    ['messages accepted, each handled once', `${counts.messages}`],
    ['agents', `${counts.agents}`],
    ['replicas killed', `${counts.kills}`],
    ['calls retried after an unknown outcome', `${counts.retriedCalls}`],
    ['turns', `${counts.turns}`],
    ['turns interrupted and resumed', `${counts.interruptions}`],
    ['history entries', `${counts.entries}`],
    ['takeovers of agents by another lease', `${counts.takeovers}`],
    ['until everything was accepted', seconds(sendingMs)],
    ['until everything was handled', seconds(handlingMs)],
  ]);
}

/**
 * Returns an AbortSignal that is aborted by the first SIGINT, SIGTERM or SIGHUP, which ends the soak early; the second
 * ends the process immediately.
 */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(interruptedExitCode);
      controller.abort();
    });
  }
  return controller.signal;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
