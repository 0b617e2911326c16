import {
  channelCredentials,
  FloodGuard,
  makeClientAddress,
  makeIsWithin,
  type CallOutcome,
} from '@daycare/rpc';
import type { BuiltServer, ServiceKit } from '@daycare/service-kit';
import { buildSessions } from './build-sessions';
import type { Config } from './config';
import { readConsoleFiles } from './console/console-files';
import { makeConsoleRoutes } from './console/console-routes';
import { makeFileRoutes } from './files/file-routes';
import { maxStreamsPerConnection } from './http/one-port';
import { RequestGate } from './http/request-gate';
import { startGateway } from './http/start-gateway';
import { makeReferenceRoutes } from './reference/reference-routes';
import { findRequestStreams } from './rpc/build-router';
import { serviceOf } from './rpc/public-services';
import { openUpstream, type Upstream } from './rpc/upstreams';
import { buildRpcs } from './wire/build-rpcs';

const services = {
  identity: 'daycare.identity.v1.IdentityService',
  'social-graph': 'daycare.social_graph.v1.SocialGraphService',
  'agent-runtime': 'daycare.agent_runtime.v1.AgentRuntimeService',
  topology: 'daycare.topology.v1.TopologyService',
} as const;

type Upstreams = Readonly<Record<keyof typeof services, Upstream>>;

/** Times that only tests change. */
export interface GatewayTiming {
  /** The minimum time for which a refusal on a flooding connection is held back. */
  readonly holdMs?: number;
}

export async function buildService(
  config: Config,
  kit: ServiceKit,
  timing: GatewayTiming = {},
): Promise<BuiltServer> {
  const { metrics, stop, log } = kit;
  const upstreams = openUpstreams(config, kit);
  const { authority, pages } = buildSessions(config, kit);
  const findFileRoute = makeFileRoutes(upstreams['agent-runtime']);
  const gate = new RequestGate(config.http.limits);
  metrics.observeStreams(() => gate.size);
  const findReference = makeReferenceRoutes();
  const findConsole = openConsole(config, kit);
  const stopping = new AbortController();
  stop.add('quiesce', 'streams', async () => stopping.abort());
  const observe = (outcome: CallOutcome): void => metrics.observeCall(outcome);
  const isProxy = makeIsWithin(config.trustedProxies);
  const floodGuard = new FloodGuard({
    maxCalls: maxStreamsPerConnection,
    maxStreamsPerOwner: config.streamLimits.perOwner,
    log,
    isProxy,
    ...timing,
  });
  return {
    listen: (isServing) =>
      startGateway({
        listen: config.listen,
        http: config.http,
        gate,
        floodGuard,
        clientAddress: makeClientAddress(config.trustedProxies),
        isProxy,
        rpcs: buildRpcs({
          upstreams: Object.values(upstreams),
          isServing,
          stopping: stopping.signal,
          observe,
          floodGuard,
        }),
        requestStreams: findRequestStreams(Object.values(upstreams)),
        observe,
        findRoute: (path) =>
          pages.get(path) ?? findFileRoute(path) ?? findReference(path) ?? findConsole(path),
        authorise: (request, response, origin) => authority.authorise(request, response, origin),
        log,
      }),
  };
}

function openConsole({ consoleFolder }: Config, { log }: ServiceKit) {
  const files = readConsoleFiles(consoleFolder);
  if (files) return makeConsoleRoutes(files);
  log.warn({ consoleFolder }, 'there is no built console in this folder; serving everything else');
  return () => undefined;
}

function openUpstreams({ upstreams, tls }: Config, { stop }: ServiceKit): Upstreams {
  const credentials = channelCredentials(tls);
  const open = (name: keyof Upstreams): Upstream =>
    openUpstream(serviceOf(services[name]), { address: upstreams[name], credentials });
  const opened = {
    identity: open('identity'),
    'social-graph': open('social-graph'),
    'agent-runtime': open('agent-runtime'),
    topology: open('topology'),
  };
  const all = Object.values(opened);
  stop.add('close', 'upstreams', async () => all.forEach(({ clients }) => clients.close()));
  return opened;
}
