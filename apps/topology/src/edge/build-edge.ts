import type { NatsConnection } from 'nats';
import type { Logger } from '@daycare/rpc';
import type { Registry } from 'prom-client';
import { prefixOf } from '../domain/edge-path';
import type { EdgeConfig } from '../edge-config';
import type { EndpointStore } from '../store/endpoint-store';
import type { WebhookDelivery } from '../usecases/accept-webhook';
import { makeAdmit } from './admit';
import { makeConnectTarget } from './connect-target';
import { makeEdgeMetrics } from './edge-metrics';
import { OpenExchanges } from './open-exchanges';
import { startEdge, type Edge } from './start-edge';

export interface EdgeParts {
  readonly endpoints: Pick<EndpointStore, 'findServed' | 'versionsOf'>;
  readonly acceptWebhook: (delivery: WebhookDelivery) => Promise<void>;
  /** How replicas tell each other what has changed. */
  readonly connection: NatsConnection;
  readonly natsPrefix: string;
  readonly registry: Registry;
  readonly log: Logger;
}

export interface BuiltEdge extends Edge {
  /** Where an endpoint is served, ending in a slash. */
  urlOf(endpointId: string): string;
  /** Ends the connections of an endpoint, here at once and at the other replicas soon. */
  cutConnections(endpointId: string): void;
  /** Ends the connections of endpoints that are not what they were; for when a hint was lost. */
  cutStale(): Promise<void>;
}

/** Starts the edge with everything it is made of. */
export async function buildEdge(config: EdgeConfig, parts: EdgeParts): Promise<BuiltEdge> {
  const { limits } = config;
  const { endpoints, connection, natsPrefix, log } = parts;
  const open = new OpenExchanges(limits.connectionsPerEndpoint);
  let base = config.url;
  const publicUrlOf = (id: string): URL => {
    const url = new URL(base);
    url.pathname = prefixOf(url.pathname, id);
    return url;
  };
  const edge = await startEdge(config.listen, {
    ...parts,
    open,
    limits,
    publicUrlOf,
    metrics: makeEdgeMetrics(parts.registry, () => open.size),
    admit: makeAdmit({ ...config, findEndpoint: (id) => endpoints.findServed(id) }),
    connectTarget: makeConnectTarget({ ...config, ...limits, rules: config }),
    log,
  });
  base ||= `http://${edge.address.replace(/^(0\.0\.0\.0|\[::\]):/, '127.0.0.1:')}`;
  const cutStale = (ids = open.endpointIds): Promise<void> => cutChanged(open, endpoints, ids);
  const subject = `${natsPrefix}.endpoints`;
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error || !open.has(message.string())) return;
      cutStale([message.string()]).catch((err: unknown) =>
        log.warn({ err }, 'cannot check connections of the edge; trying on'),
      );
    },
  });
  return {
    ...edge,
    urlOf: (id) => `${publicUrlOf(id).href}/`,
    cutConnections(id) {
      open.cut(id);
      if (!connection.isClosed() && !connection.isDraining()) connection.publish(subject, id);
    },
    cutStale: () => cutStale(),
  };
}

async function cutChanged(
  open: OpenExchanges,
  endpoints: Pick<EndpointStore, 'versionsOf'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const versions = await endpoints.versionsOf(ids);
  ids.forEach((id) => open.cut(id, versions.get(id)));
}
