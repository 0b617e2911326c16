import { join } from 'node:path';
import { generateSecret } from '../../credentials/credentials';
import { poll } from '../../process/poll';
import { cannotStart } from '../../process/cannot-start';
import { claimFreePort } from '../remembered-port';
import type { RunningServer } from '../running-server';
import type { ClusterMember } from './nats-config';
import { withNatsUser } from '../../credentials/nats-passwords';
import { probeNats } from '../probe-nats';
import { startNatsServer, type NatsServerOptions } from './start-nats-server';

export type NatsClusterOptions = Omit<NatsServerOptions, 'member' | 'port' | 'logFile'> & {
  /** Three by default. */
  readonly size?: number;
  /** The ports for clients; free ones by default. */
  readonly ports?: readonly number[];
};

/** A member of a cluster, which can be started again after it has been stopped or killed. */
export interface ClusterNode {
  readonly name: string;
  /** The address of this member, without a user. */
  readonly url: string;
  readonly dataDir: string;
  /** Resolves when the member accepts connections. */
  start(onSpawn?: NatsServerOptions['onSpawn']): Promise<RunningServer>;
}

export interface NatsCluster {
  readonly nodes: readonly ClusterNode[];
  /** The addresses of all members, separated by commas, without a user; see `withNatsUser`. */
  readonly url: string;
  /** Resolves when JetStream responds, which it does once most members are up. */
  ready(): Promise<void>;
}

/** Plans a NATS cluster on this machine: call `start` on each node, then `ready`. */
export async function planNatsCluster(options: NatsClusterOptions): Promise<NatsCluster> {
  const { size = 3, ports, ...shared } = options;
  const password = generateSecret();
  const clientPorts = await choosePorts(size, ports);
  const routePorts = await choosePorts(size);
  const nodes = routePorts.map((routePort, index) => {
    const otherRoutePorts = routePorts.filter((port) => port !== routePort);
    const member = { name: `nats-${index + 1}`, routePort, otherRoutePorts, password };
    return planNode(shared, member, clientPorts[index] ?? 0);
  });
  const url = nodes.map((node) => node.url).join(',');
  return { nodes, url, ready: () => untilJetStreamResponds(url, options) };
}

function planNode(
  options: Omit<NatsServerOptions, 'member' | 'port'>,
  member: ClusterMember,
  port: number,
): ClusterNode {
  const dataDir = join(options.dataDir, member.name);
  return {
    name: member.name,
    url: `nats://127.0.0.1:${port}`,
    dataDir,
    start: (onSpawn = options.onSpawn) =>
      startNatsServer({ ...options, ...(onSpawn ? { onSpawn } : {}), dataDir, member, port }),
  };
}

async function choosePorts(size: number, given: readonly number[] = []): Promise<number[]> {
  const ports = new Set(given);
  while (ports.size < size) ports.add(await claimFreePort());
  return [...ports];
}

async function untilJetStreamResponds(
  url: string,
  { access, startTimeoutMs = 60_000 }: NatsClusterOptions,
): Promise<void> {
  const withUser = withNatsUser(url, 'topology', access.passwords);
  await poll(() => probeNats(withUser), {
    timeoutMs: startTimeoutMs,
    onTimeout: (cause) =>
      cannotStart(
        `The cluster's JetStream did not respond within ${startTimeoutMs / 1000} s.`,
        cause,
      ),
  });
}
