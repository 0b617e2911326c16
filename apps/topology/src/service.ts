import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { ChangeHints, type NatsHandle } from '@daycare/messaging';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import {
  connectPeers,
  consumeUserNotices,
  makeSweepDeletedUsers,
  openNats,
  repeat,
  startOutbox,
  systemStreamOf,
  type BuiltService,
  type PeerAccess,
  type ServiceKit,
} from '@daycare/service-kit';
import {
  buildChannels,
  buildEnding,
  buildEndpoints,
  buildSignals,
  openEdge,
  type HintCaller,
} from './build-wiring';
import type { Config } from './config';
import { makeFindAgent, makeMarkWired } from './rpc/agent-runtime-client';
import { makeFactSources } from './rpc/fact-sources';
import { topologyHandler, type ViewUsecases } from './rpc/topology-handler';
import { encodeSections } from './rpc/topology-messages';
import { openStores, type Stores } from './store/open-stores';
import { makeCheckOwnAgent } from './usecases/check-own-agent';
import { markOnce } from './usecases/direct/mark-wired';
import type { EndAgent } from './usecases/ending/end-agent';
import { makeForgetUser } from './usecases/forget-user';
import type { FactSources } from './usecases/view/fact-sources';
import { makeGetTopology } from './usecases/view/get-topology';
import { ViewCache } from './usecases/view/view-cache';
import { makeListWiring } from './usecases/view/list-wiring';
import { makeWatchTopology } from './usecases/view/watch-topology';

const name = 'topology';
/** Enough for a thousand friends and everything they share. */
const maxMessageBytes = 64 << 20;
const minuteMs = 60_000;
/** The size of the view cache; a view of 1,600 entries takes about a megabyte. */
const maxCachedBytes = 64 << 20;
/** How long changes in quick succession are gathered into one view. */
const gatherMs = 250;
const now = (): Date => new Date();

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const { authenticate, credential, identity, directory } = await connectPeers(name, config, kit);
  const stores = await openStores(config, name, kit);
  const { connection } = await openNats(config, name, kit);
  const { wake } = startOutbox(config, { connection, outbox: stores.outbox }, kit);
  const { agentRuntime, socialGraph } = openPeers(config, credential, kit);
  const sources = makeFactSources({ identity, directory, socialGraph, agentRuntime }, credential);
  const hints = new ChangeHints(connection, config.natsPrefix);
  const hintCaller: HintCaller = (_result, { caller }) =>
    hints.publish([caller.userId, caller.parentUserId]);
  const checkOwnAgent = makeCheckOwnAgent(makeFindAgent(agentRuntime, credential));
  const markWired = markOnce(makeMarkWired(agentRuntime, credential));
  const edge = await openEdge({ stores, connection, config, kit });
  const { endAgent, confirmAlive } = buildEnding({
    stores,
    closeConnections: (endpointId) => edge?.closeConnections(endpointId),
    hint: (userIds) => hints.publish(userIds),
    kit,
  });
  const wiring = { stores, checkOwnAgent, confirmAlive, wake, markWired, hintCaller, kit };
  const signals = buildSignals(wiring);
  const channels = buildChannels(wiring);
  const endpoints = buildEndpoints({
    stores,
    checkOwnAgent,
    confirmAlive,
    hintCaller,
    config,
    edge,
  });
  const views = buildViews(config, stores, { sources, hints, urlOf: endpoints.urlOf }, kit);
  consumeNotices(config, stores, { connection, endAgent }, kit);
  const status = kit.status.handlers;
  const handler = topologyHandler({ views, signals, channels, endpoints, status });
  return { services: [handler], authenticate };
}

interface ViewDeps {
  readonly sources: FactSources;
  readonly hints: ChangeHints;
  /** The URL at which the edge serves an endpoint; empty without an edge. */
  readonly urlOf: (endpointId: string) => string;
}

/** Builds the usecases that return the whole view, in one response or as a stream. */
function buildViews(
  { topologyPollMs: pollMs }: Config,
  { subscriptions, channels, endpoints, surveyWiring }: Stores,
  { sources, hints, urlOf }: ViewDeps,
  kit: ServiceKit,
): ViewUsecases {
  const { log, stop } = kit;
  const viewCache = new ViewCache({ maxBytes: maxCachedBytes, maxUnusedMs: 10 * minuteMs });
  repeat('drop unused views', minuteMs, async () => viewCache.dropUnused(), kit);
  const stopping = new AbortController();
  stop.add('quiesce', 'watchers', async () => stopping.abort());
  const getTopology = makeGetTopology({
    sources,
    listWiring: makeListWiring({ subscriptions, channels, endpoints, surveyWiring }),
    viewCache,
    encode: (view) => encodeSections(view, urlOf),
    now,
    reportUnavailable: (owner, err) =>
      log.warn({ owner, err }, 'upstream unavailable; returning partial topology'),
  });
  const watchTopology = makeWatchTopology({
    getTopology,
    listen: (userId, listener) => hints.watch(userId, listener),
    pollMs,
    gatherMs,
    stopping: stopping.signal,
  });
  return { getTopology, watchTopology };
}

/** Consumes notices: deletes what is stored about deleted users, and removes ended agents from the wiring. */
function consumeNotices(
  config: Config,
  { deletedUsers, userDataStores, deadLetters }: Stores,
  { connection, endAgent }: { connection: NatsHandle['connection']; endAgent: EndAgent },
  kit: ServiceKit,
): void {
  const forgetUser = makeForgetUser({ deletedUsers, userDataStores, now });
  consumeUserNotices({
    service: name,
    connection,
    stream: systemStreamOf(config),
    forgetUser,
    endAgent,
    storeDeadLetter: (letter) => deadLetters.add(letter, now()),
    kit,
  });
  const sweep = makeSweepDeletedUsers({ deletedUsers, now }, forgetUser);
  repeat('clean up after deleted users', minuteMs, sweep, kit);
}

function openPeers(
  { tls, agentRuntimeAddress, socialGraphAddress }: Config,
  credential: PeerAccess['credential'],
  { stop }: ServiceKit,
) {
  const credentials = channelCredentials(tls);
  const onUnauthenticated = (): void => void credential.onRefused();
  const agentRuntime = createRpcClient(AgentRuntimeServiceService, {
    address: agentRuntimeAddress,
    credentials,
    onUnauthenticated,
    maxMessageBytes,
  });
  const socialGraph = createRpcClient(SocialGraphServiceService, {
    address: socialGraphAddress,
    credentials,
    onUnauthenticated,
    maxMessageBytes,
  });
  stop.add('close', 'peers', async () => [agentRuntime, socialGraph].forEach((c) => c.close()));
  return { agentRuntime, socialGraph };
}
