import type { NatsLink } from '@daycare/messaging';
import type { Logger } from '@daycare/rpc';
import type { Registry } from 'prom-client';
import { prefixOf } from '../../domain/endpoints/edge-path';
import type { EdgeConfig } from './edge-config';
import type { ServedEndpoint } from '../../domain/endpoints/endpoint';
import type { SecretBox } from '../../usecases/endpoints/secret-box';
import type { WebhookDelivery } from '../../usecases/endpoints/accept-webhook';
import { makeAdmit } from '../admission/admit';
import { makeVisitors } from '../admission/visitors';
import { makeConnectTarget } from '../proxy/connect-target';
import { makeEdgeMetrics } from './edge-metrics';
import { OpenExchanges } from '../proxy/open-exchanges';
import { startEdge, type Edge } from './start-edge';

/** Looks up endpoints for the edge; see `EndpointStore`. */
interface Endpoints {
  findServed(id: string): Promise<ServedEndpoint | undefined>;
  isPassword(passwordHash: string): Promise<boolean>;
  versionsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface BuildEdgeDeps {
  readonly endpoints: Endpoints;
  readonly secrets: SecretBox;
  readonly acceptWebhook: (delivery: WebhookDelivery) => Promise<void>;
  /** Notifies other replicas of changed endpoints. */
  readonly connection: NatsLink;
  readonly natsPrefix: string;
  readonly registry: Registry;
  readonly log: Logger;
}

export interface BuiltEdge extends Edge {
  /** Returns an endpoint's URL, with a trailing slash. */
  urlOf(endpointId: string): string;
  /** Closes an endpoint's connections, immediately on this replica and soon afterwards on the others. */
  closeConnections(endpointId: string): void;
  /** Closes the connections of changed and deleted endpoints, in case a hint was lost. */
  closeStaleConnections(): Promise<void>;
}

/** Constructs and starts the edge. */
export async function buildEdge(config: EdgeConfig, deps: BuildEdgeDeps): Promise<BuiltEdge> {
  const { limits, usersDir } = config;
  const { connectTimeoutMs } = limits;
  const { endpoints, acceptWebhook, connection, natsPrefix, log } = deps;
  const visitors = makeVisitors(config);
  const openExchanges = new OpenExchanges(limits.connectionsPerEndpoint);
  let base = config.url;
  const publicUrlOf = (id: string): URL => {
    const url = new URL(base);
    url.pathname = prefixOf(url.pathname, id);
    return url;
  };
  const edge = await startEdge(config.listen, {
    acceptWebhook,
    openExchanges,
    limits,
    publicUrlOf,
    visitors,
    metrics: makeEdgeMetrics(deps.registry, () => openExchanges.size),
    admit: makeAdmit({
      findEndpoint: (id) => endpoints.findServed(id),
      isPassword: (hash) => endpoints.isPassword(hash),
      secrets: deps.secrets,
      isLocal: (address) => visitors.isLocal(address),
      limits,
    }),
    connectTarget: makeConnectTarget({ rules: config, usersDir, connectTimeoutMs }),
    log,
  });
  base ||= `http://${edge.address.replace(/^(0\.0\.0\.0|\[::\]):/, '127.0.0.1:')}`;
  const closeStaleConnections = (ids = openExchanges.endpointIds): Promise<void> =>
    closeChanged(openExchanges, endpoints, ids);
  const subject = `${natsPrefix}.endpoints`;
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error || !openExchanges.has(message.string())) return;
      closeStaleConnections([message.string()]).catch((err: unknown) =>
        log.warn(
          { err },
          'cannot check the connections of a changed endpoint; retrying within a second',
        ),
      );
    },
  });
  return {
    address: edge.address,
    stopAccepting: () => edge.stopAccepting(),
    drain: (timeoutMs) => edge.drain(timeoutMs),
    urlOf: (id) => `${publicUrlOf(id).href}/`,
    closeConnections(id) {
      openExchanges.close(id);
      if (!connection.isClosed() && !connection.isDraining()) connection.publish(subject, id);
    },
    closeStaleConnections: () => closeStaleConnections(),
  };
}

async function closeChanged(
  openExchanges: OpenExchanges,
  endpoints: Pick<Endpoints, 'versionsOf'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const versions = await endpoints.versionsOf(ids);
  ids.forEach((id) => openExchanges.close(id, versions.get(id)));
}
