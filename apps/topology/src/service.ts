import { createId } from '@paralleldrive/cuid2';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import {
  consumeUserNotices,
  joinInstance,
  makeSweepGoneUsers,
  openNats,
  repeat,
  startOutbox,
  systemStreamOf,
  type BuiltService,
  type ServiceKit,
} from '@daycare/service-kit';
import { ChangeHints, type NatsHandle } from '@daycare/messaging';
import type { Config } from './config';
import { buildEdge } from './edge/build-edge';
import type { ChannelUsecases } from './rpc/channel-handlers';
import type { EndpointUsecases } from './rpc/endpoint-handlers';
import { hintChanges } from './hint-changes';
import { makeFindAgent } from './rpc/find-agent';
import { makeOwners } from './rpc/owners';
import type { SignalUsecases } from './rpc/signal-handlers';
import { topologyHandler } from './rpc/topology-handler';
import { openStores, type Stores } from './store/open-stores';
import { makeAcceptWebhook } from './usecases/accept-webhook';
import { makeChangeChannel } from './usecases/change-channel';
import { makeCreateChannel } from './usecases/create-channel';
import { makeEmitDueSignals } from './usecases/emit-due-signals';
import { makeEmitSignal } from './usecases/emit-signal';
import { makeEndpointUsecases } from './usecases/endpoints';
import { makeForgetUser } from './usecases/forget-user';
import { makeGetTopology } from './usecases/get-topology';
import { makeJoinChannel } from './usecases/join-channel';
import { makeLeaveChannel, makeSweepChannels } from './usecases/leave-channel';
import { makeListChannelMessages } from './usecases/list-channel-messages';
import { makeListSignals } from './usecases/list-signals';
import { makeListWiring } from './usecases/list-wiring';
import { makeCheckOwnAgent, type CheckOwnAgent } from './usecases/own-agent';
import type { Owners } from './usecases/owners';
import { makeSendChannelMessage } from './usecases/send-channel-message';
import { StreamCount } from './usecases/stream-count';
import { makeSubscribeSignal, makeUnsubscribeSignal } from './usecases/subscribe-signal';
import { makeWatchTopology } from './usecases/watch-topology';

const name = 'topology';
/** A thousand friends with what they share, and then some. */
const maxMessageBytes = 64 << 20;
const minuteMs = 60_000;
const emitEveryMs = 500;
/** An endpoint that changed elsewhere has no connection left here after so long. */
const recheckEveryMs = 1_000;
/** Of one user at one replica; more are of no use to anybody. */
const mostStreams = 32;
/** So long may changes in quick succession be gathered into one view. */
const gatherMs = 250;
const now = (): Date => new Date();

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const { authenticate, credential, ...membership } = await joinInstance(name, config, kit);
  const stores = await openStores(config, name, kit);
  const { connection } = await openNats(config, name, kit);
  const wake = startOutbox(config, { ...stores, connection }, kit);
  forgetDeleted(config, stores, connection, kit);
  const peers = openPeers(config, kit);
  const owners = makeOwners({ ...membership, ...peers }, credential);
  const hints = new ChangeHints(connection, config.natsPrefix);
  const views = buildViews(config, stores, { owners, hints }, kit);
  const checkOwnAgent = makeCheckOwnAgent(makeFindAgent(peers.agentRuntime, credential));
  const signals = buildSignals(stores, { checkOwnAgent, wake }, kit);
  const channels = buildChannels(stores, { checkOwnAgent, wake }, kit);
  const endpoints = await buildEndpoints(config, stores, { checkOwnAgent, wake, connection }, kit);
  const wiring = hintChanges({ ...signals, ...channels, ...endpoints }, hints);
  return { services: [topologyHandler({ ...views, ...wiring })], authenticate };
}

/** The view of it all, at a moment and over time. */
function buildViews(
  { topologyPollMs: pollMs }: Config,
  stores: Stores,
  { owners, hints }: { readonly owners: Owners; readonly hints: ChangeHints },
  { log, stop }: ServiceKit,
) {
  const stopping = new AbortController();
  stop.add('quiesce', 'watchers', async () => stopping.abort());
  const getTopology = makeGetTopology({
    owners,
    listWiring: makeListWiring(stores),
    now,
    reportDown: (owner, err) => log.warn({ owner, err }, 'answering without an owner'),
  });
  const watchTopology = makeWatchTopology({
    getTopology,
    listen: (userId, listener) => hints.watch(userId, listener),
    streams: new StreamCount(mostStreams),
    pollMs,
    gatherMs,
    stopping: stopping.signal,
  });
  return { getTopology, watchTopology };
}

interface Parts {
  readonly checkOwnAgent: CheckOwnAgent;
  readonly wake: (lanes: readonly string[]) => void;
}

function buildSignals(stores: Stores, parts: Parts, kit: ServiceKit): SignalUsecases {
  const common = { ...stores, ...parts, now };
  const reportStuck = (signalId: string, err: unknown): void =>
    kit.log.warn({ signalId, err }, 'cannot emit a signal; trying on');
  repeat('emit due signals', emitEveryMs, makeEmitDueSignals({ ...common, reportStuck }), kit);
  return {
    emitSignal: makeEmitSignal(common),
    subscribeSignal: makeSubscribeSignal(common),
    unsubscribeSignal: makeUnsubscribeSignal(common),
    listSignals: makeListSignals(common),
  };
}

function buildChannels(stores: Stores, parts: Parts, kit: ServiceKit): ChannelUsecases {
  const changeChannel = makeChangeChannel({ ...stores, now });
  const common = { ...stores, ...parts, changeChannel, newId: createId, now };
  repeat('sweep after channels', minuteMs, makeSweepChannels(common), kit);
  return {
    createChannel: makeCreateChannel(common),
    joinChannel: makeJoinChannel(common),
    leaveChannel: makeLeaveChannel(common),
    sendChannelMessage: makeSendChannelMessage(common),
    listChannelMessages: makeListChannelMessages(common),
  };
}

async function buildEndpoints(
  { edge: edgeConfig, natsPrefix, shutdownTimeoutMs }: Config,
  stores: Stores,
  parts: Parts & { readonly connection: NatsHandle['connection'] },
  kit: ServiceKit,
): Promise<EndpointUsecases> {
  const acceptWebhook = makeAcceptWebhook({ ...stores, ...parts, newId: createId });
  const { log, stop, metrics } = kit;
  const edgeParts = { ...stores, ...parts, ...metrics, acceptWebhook, natsPrefix, log };
  const edge = edgeConfig.listen === '' ? undefined : await buildEdge(edgeConfig, edgeParts);
  if (edge) {
    log.info({ event: 'edge', address: edge.address }, 'the edge is open');
    repeat('check connections of the edge', recheckEveryMs, () => edge.cutStale(), kit);
    stop.add('quiesce', 'edge', async () => edge.stopAccepting());
    stop.add('drain', 'edge', () => edge.drain(shutdownTimeoutMs / 2));
  }
  return {
    ...makeEndpointUsecases({
      ...stores,
      ...parts,
      rules: { ...edgeConfig, hasEdge: edge !== undefined, hasHomes: edgeConfig.usersDir !== '' },
      cutConnections: (id) => edge?.cutConnections(id),
      now,
      newId: createId,
    }),
    urlOf: (id) => edge?.urlOf(id) ?? '',
  };
}

/** Hears from identity who is gone. */
function forgetDeleted(
  config: Config,
  stores: Stores,
  connection: NatsHandle['connection'],
  kit: ServiceKit,
): void {
  const forgetUser = makeForgetUser({ ...stores, now });
  consumeUserNotices({
    service: name,
    connection,
    stream: systemStreamOf(config),
    forgetUser,
    keepDeadLetter: (letter) => stores.deadLetters.add(letter, now()),
    kit,
  });
  const sweep = makeSweepGoneUsers({ ...stores, now }, forgetUser);
  repeat('sweep after deleted users', minuteMs, sweep, kit);
}

function openPeers({ tls, agentRuntimeAddress, socialGraphAddress }: Config, { stop }: ServiceKit) {
  const common = { credentials: channelCredentials(tls), maxMessageBytes };
  const agentRuntime = createRpcClient(AgentRuntimeServiceService, {
    ...common,
    address: agentRuntimeAddress,
  });
  const socialGraph = createRpcClient(SocialGraphServiceService, {
    ...common,
    address: socialGraphAddress,
  });
  stop.add('close', 'peers', async () => [agentRuntime, socialGraph].forEach((c) => c.close()));
  return { agentRuntime, socialGraph };
}
