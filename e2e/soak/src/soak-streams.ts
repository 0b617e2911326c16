import { formatPairs } from '@daycare/terminal';
import { openMemoryGauge } from '../../support/load/contexts/replica-memory';
import { runStreams, type StreamsFigures } from '../../support/load/gateway/run-streams';
import { startTestGateway } from '../../support/gateway/start-gateway';
import { startStack } from '../../support/stack/stack';
import type { SoakConfig } from './config';

const dayMs = 24 * 60 * 60_000;

/** All streams come from one address here, so a gateway's limits per address must not apply, nor its total limit. */
const limits = {
  DAYCARE_GATEWAY_REQUESTS: '1000000',
  DAYCARE_GATEWAY_REQUESTS_PER_ADDRESS: '1000000',
  DAYCARE_GATEWAY_CONNECTIONS_PER_ADDRESS: '1000000',
};

/** Opens many streams through one gateway, whose memory must not grow; returns the exit code. */
export async function soakStreams(
  { gatewayStreams: streams }: SoakConfig,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<number> {
  report(`${streams} streams through one gateway`);
  const gauge = await openMemoryGauge();
  const env = { DAYCARE_ACCESS_TOKEN_MS: String(dayMs), DAYCARE_MAX_STREAMS: '1000000' };
  const stack = await startStack({ ownServers: true, env, timeoutMs: 60_000 });
  try {
    const gateway = await startTestGateway(stack, { ...limits, ...gauge.env });
    try {
      const { grpcAddress: address, pid } = gateway.current;
      const options = { stack, gauge, streams, signal, report, gateway: { address, pid } };
      const { faults, ...figures } = await runStreams(options);
      report(format(figures));
      for (const fault of faults) report(`FAULT: ${fault}`);
      report(faults.length === 0 ? 'No faults.' : 'The streams or the memory are not as expected.');
      return faults.length === 0 ? 0 : 1;
    } finally {
      await gateway.stop();
    }
  } finally {
    await stack.stop();
    await gauge.close();
  }
}

function format(figures: Omit<StreamsFigures, 'faults'>): string {
  const { agentStreams, topologyStreams, rounds, memory } = figures;
  return formatPairs([
    ['open agent streams and topology streams', `${agentStreams} ${topologyStreams}`],
    ['rounds, each received on every stream', `${rounds}`],
    ['heap after a collection, in MiB', memory.map(({ heap }) => heap).join(' ')],
    ['buffers, in MiB', memory.map(({ buffers }) => buffers).join(' ')],
    ['resident, in MiB', memory.map(({ resident }) => resident).join(' ')],
  ]);
}
