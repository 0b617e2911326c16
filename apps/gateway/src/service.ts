import { channelCredentials, makeClientAddress, makeIsProxy } from '@daycare/rpc';
import type { BuiltServer, ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { RequestGate } from './http/request-gate';
import { startGateway } from './http/start-gateway';
import { buildRouter } from './rpc/build-router';
import { serviceOf } from './rpc/public-services';
import { openUpstream, type Upstream } from './rpc/upstreams';

const services = {
  identity: 'daycare.identity.v1.IdentityService',
  'social-graph': 'daycare.social_graph.v1.SocialGraphService',
  'agent-runtime': 'daycare.agent_runtime.v1.AgentRuntimeService',
  topology: 'daycare.topology.v1.TopologyService',
} as const;

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltServer> {
  const { metrics, stop, log } = kit;
  const upstreams = openUpstreams(config, kit);
  const gate = new RequestGate(config.http.limits);
  metrics.observeStreams(() => gate.size);
  const stopping = new AbortController();
  stop.add('quiesce', 'streams', async () => stopping.abort());
  return {
    listen: (isServing) =>
      startGateway({
        listen: config.listen,
        http: config.http,
        gate,
        clientAddress: makeClientAddress(config.trustedProxies),
        isProxy: makeIsProxy(config.trustedProxies),
        rpcs: buildRouter({
          upstreams,
          isServing,
          stopping: stopping.signal,
          observe: (outcome) => metrics.observeCall(outcome),
        }),
        findRoute: () => undefined,
        log,
      }),
  };
}

function openUpstreams({ upstreams, tls }: Config, { stop }: ServiceKit): Upstream[] {
  const credentials = channelCredentials(tls);
  const names = Object.keys(services) as (keyof typeof services)[];
  const opened = names.map((name) =>
    openUpstream(serviceOf(services[name]), { address: upstreams[name], credentials }),
  );
  stop.add('close', 'upstreams', async () => opened.forEach(({ clients }) => clients.close()));
  return opened;
}
