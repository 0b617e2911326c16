import { withNatsUser } from '../credentials/nats-passwords';
import { cannotStart } from '../process/cannot-start';
import type { FoundServer } from '../servers/find-server';
import type { NatsAccess } from '../servers/nats/nats-config';
import { planNatsCluster } from '../servers/nats/start-nats-cluster';
import type { InfraAddress, Supervise } from './start-infra';

export interface NatsServersOptions {
  readonly found: FoundServer;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly supervise: Supervise;
  readonly access: NatsAccess;
}

/** Starts three NATS servers under supervision, as one cluster. */
export async function startNatsServers(options: NatsServersOptions): Promise<InfraAddress> {
  const { found, dataDir, env, supervise, access } = options;
  if (found.kind === 'url')
    throw cannotStart(
      '--cluster starts its own NATS servers, so it cannot be combined with DAYCARE_NATS_URL; unset the variable.',
    );
  const cluster = await planNatsCluster({
    binary: found.binary,
    dataDir,
    env,
    access,
  });
  const { nodes, url } = cluster;
  const [first] = await Promise.all(
    nodes.map((node, index) =>
      supervise(`nats-${index + 1}`, (onSpawn) => node.start(onSpawn)).start(),
    ),
  );
  await cluster.ready();
  const urlOf = (app: string): string => withNatsUser(url, app, access.passwords);
  return { url, urlOf, version: first?.version ?? '', external: false };
}
