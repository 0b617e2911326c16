import { createId } from '@daycare/api/create-id';
import type { NatsHandle } from '@daycare/messaging';
import { repeat, repeatWhenDue, withChangeHint, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import type { Viewer } from './domain/viewer';
import { buildEdge, type BuiltEdge } from './edge/server/build-edge';
import type { ChannelUsecases } from './rpc/channel-handlers';
import type { EndpointUsecases } from './rpc/endpoint-handlers';
import type { SignalUsecases } from './rpc/signal-handlers';
import type { Stores } from './store/open-stores';
import { makeChangeChannel } from './usecases/channels/change-channel';
import { makeCreateChannel } from './usecases/channels/create-channel';
import { makeJoinChannel } from './usecases/channels/join-channel';
import { makeLeaveChannel, makeSweepChannels } from './usecases/channels/leave-channel';
import { makeListChannelMessages } from './usecases/channels/list-channel-messages';
import { makeSendChannelMessage } from './usecases/channels/send-channel-message';
import type { CheckOwnAgent, ConfirmAlive } from './usecases/check-own-agent';
import { makeForwardAgentMessage } from './usecases/direct/forward-agent-message';
import { markCallerFirst, type MarkWired } from './usecases/direct/mark-wired';
import {
  makeConfirmAlive,
  makeEndAgent,
  makeSweepEndedAgents,
  type EndAgent,
} from './usecases/ending/end-agent';
import { makeAcceptWebhook } from './usecases/endpoints/accept-webhook';
import { makeEndpointUsecases } from './usecases/endpoints/endpoint-usecases';
import { SecretBox } from './usecases/endpoints/secret-box';
import { makeEmitDueSignals } from './usecases/signals/emit-due-signals';
import { makeEmitSignal } from './usecases/signals/emit-signal';
import { makeListSignals } from './usecases/signals/list-signals';
import { makeSubscribeSignal, makeUnsubscribeSignal } from './usecases/signals/subscribe-signal';

const minuteMs = 60_000;
/** How late a signal may be emitted if the replica that accepted it died right afterwards. */
const maxSignalPollMs = 2_000;
/** How long a connection may outlive a change to its endpoint on another replica. */
const recheckEveryMs = 1_000;
const now = (): Date => new Date();

/** Sends a hint to those who see the caller's wiring: the caller and, for a subuser, its owner. */
export type HintCaller = (_result: unknown, call: { readonly caller: Viewer }) => void;

export interface WiringDeps {
  readonly stores: Stores;
  readonly checkOwnAgent: CheckOwnAgent;
  readonly confirmAlive: ConfirmAlive;
  readonly wake: () => void;
  readonly markWired: MarkWired;
  readonly hintCaller: HintCaller;
  readonly kit: ServiceKit;
}

export function buildSignals(deps: WiringDeps): SignalUsecases {
  const { checkOwnAgent, confirmAlive, wake, hintCaller, kit } = deps;
  const { signals, subscriptions, signalChanges } = deps.stores;
  const emitDueSignals = makeEmitDueSignals({
    signals,
    signalChanges,
    wake,
    now,
    lookAheadMs: maxSignalPollMs,
    reportStuck: (signalId, err) =>
      kit.log.warn({ signalId, err }, 'signal emission failed; retrying'),
  });
  const onScheduled = repeatWhenDue('emit due signals', maxSignalPollMs, emitDueSignals, kit);
  return {
    emitSignal: markCallerFirst(
      deps.markWired,
      makeEmitSignal({ signals, signalChanges, wake, now, onScheduled }),
    ),
    subscribeSignal: withChangeHint(
      makeSubscribeSignal({ subscriptions, checkOwnAgent, confirmAlive, now }),
      hintCaller,
    ),
    unsubscribeSignal: withChangeHint(makeUnsubscribeSignal({ subscriptions, now }), hintCaller),
    listSignals: makeListSignals({ signals }),
  };
}

export function buildChannels(deps: WiringDeps): ChannelUsecases {
  const { checkOwnAgent, confirmAlive, wake, hintCaller, kit } = deps;
  const { channels, messages, messageSender } = deps.stores;
  const changeChannel = makeChangeChannel({ channels, now });
  repeat('sweep channels', minuteMs, makeSweepChannels({ channels, messages, now }), kit);
  return {
    createChannel: withChangeHint(
      makeCreateChannel({ channels, checkOwnAgent, confirmAlive, newId: createId, now }),
      hintCaller,
    ),
    joinChannel: withChangeHint(
      makeJoinChannel({ changeChannel, checkOwnAgent, confirmAlive, now }),
      hintCaller,
    ),
    leaveChannel: withChangeHint(
      makeLeaveChannel({ channels, messages, changeChannel }),
      hintCaller,
    ),
    sendChannelMessage: markCallerFirst(
      deps.markWired,
      makeSendChannelMessage({ messages, messageSender, wake, now }),
    ),
    listChannelMessages: makeListChannelMessages({ channels, messages }),
    forwardAgentMessage: makeForwardAgentMessage({ outbox: deps.stores.outbox }),
  };
}

export interface EndpointsDeps extends Pick<
  WiringDeps,
  'stores' | 'checkOwnAgent' | 'confirmAlive' | 'hintCaller'
> {
  readonly config: Pick<Config, 'edge'>;
  /** Undefined when the edge is turned off. */
  readonly edge: BuiltEdge | undefined;
}

export function buildEndpoints(deps: EndpointsDeps): EndpointUsecases {
  const { config, checkOwnAgent, confirmAlive, hintCaller, edge } = deps;
  const { ports, usersDir } = config.edge;
  const usecases = makeEndpointUsecases({
    endpoints: deps.stores.endpoints,
    checkOwnAgent,
    confirmAlive,
    secrets: new SecretBox(config.edge.secretKey),
    rules: { ports, hasEdge: edge !== undefined, hasHomes: usersDir !== '' },
    closeConnections: (id) => edge?.closeConnections(id),
    now,
    newId: createId,
  });
  return {
    createEndpoint: withChangeHint(usecases.createEndpoint, hintCaller),
    updateEndpoint: withChangeHint(usecases.updateEndpoint, hintCaller),
    deleteEndpoint: withChangeHint(usecases.deleteEndpoint, hintCaller),
    listEndpoints: usecases.listEndpoints,
    urlOf: (id) => edge?.urlOf(id) ?? '',
  };
}

/** Builds the usecases that remove ended agents from the wiring; a sweep repeats each removal once, minutes later. */
export function buildEnding({ stores, closeConnections, hint, kit }: EndingDeps): {
  readonly endAgent: EndAgent;
  readonly confirmAlive: ConfirmAlive;
} {
  const { endedAgents, subscriptions, channels, messages, endpoints } = stores;
  const changeChannel = makeChangeChannel({ channels, now });
  const endAgent = makeEndAgent({
    endedAgents,
    subscriptions,
    channels,
    messages,
    endpoints,
    changeChannel,
    closeConnections,
    hint,
    now,
  });
  const sweep = makeSweepEndedAgents({ endedAgents, now }, endAgent);
  repeat('clean up after ended agents', minuteMs, sweep, kit);
  return { endAgent, confirmAlive: makeConfirmAlive(endedAgents, endAgent) };
}

export interface EndingDeps extends Pick<WiringDeps, 'stores' | 'kit'> {
  readonly closeConnections: (endpointId: string) => void;
  readonly hint: (userIds: readonly string[]) => void;
}

export interface OpenEdgeDeps extends Pick<WiringDeps, 'stores' | 'kit'> {
  readonly config: Pick<Config, 'edge' | 'natsPrefix' | 'shutdownTimeoutMs'>;
  readonly connection: NatsHandle['connection'];
}

/** Opens the HTTP edge; returns undefined when it is turned off. */
export async function openEdge(deps: OpenEdgeDeps): Promise<BuiltEdge | undefined> {
  const { config, stores, connection, kit } = deps;
  if (config.edge.listen === '') return undefined;
  const edge = await buildEdge(config.edge, {
    endpoints: stores.endpoints,
    secrets: new SecretBox(config.edge.secretKey),
    acceptWebhook: makeAcceptWebhook({ outbox: stores.outbox, newId: createId }),
    connection,
    natsPrefix: config.natsPrefix,
    registry: kit.metrics.registry,
    log: kit.log,
  });
  kit.log.info({ event: 'edge', address: edge.address }, 'HTTP edge listening');
  repeat('check edge connections', recheckEveryMs, () => edge.closeStaleConnections(), kit);
  kit.stop.add('quiesce', 'edge', async () => edge.stopAccepting());
  kit.stop.add('drain', 'edge', () => edge.drain(config.shutdownTimeoutMs / 2));
  return edge;
}
