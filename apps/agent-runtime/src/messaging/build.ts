import type { Db } from 'mongodb';
import type { OutboxStore } from '@daycare/messaging';
import type { CollectionIndexes } from '@daycare/mongo';
import { withChangeHint, type UserDataStore } from '@daycare/service-kit';
import type {
  Agent,
  AgentEndings,
  AgentReader,
  AgentWriter,
  Directory,
  FindOrCreateAgent,
  HistoryReader,
  RankForeground,
  RunawayGuards,
} from '../agents';
import {
  consumeMessages,
  redeliverPayload,
  type SystemMessageConsumerDeps,
} from './events/on-system-message';
import type { AgentAddress } from './domain/inbox-item';
import { makeCountWaitingMessages } from './usecases/budgets/count-waiting-messages';
import { consumeClosings } from './events/on-closing';
import { wakeByShard } from './events/wake-by-shard';
import { ClosedTieStore, closedTieIndexes } from './store/closed-tie-store';
import { contactIndexes, ContactStore } from './store/contact-store';
import { deadLetterIndexes, DeadLetterStore } from './store/dead-letter-store';
import { inboxIndexes } from './store/inbox-row';
import { InboxStore } from './store/inbox-store';
import {
  makeDeleteDeadLetter,
  makeListDeadLetters,
  makeRetryDeadLetter,
} from './usecases/dead-letters';
import {
  makeDeliverSystemMessages,
  makeRedeliverSystemMessage,
} from './usecases/deliver-system-messages';
import { makeDeliverToAgent } from './usecases/deliver-to-agent';
import type { DeliverAcrossUsers, QueueBehindWiredMessages } from './usecases/message-routes';
import {
  makeCloseTie,
  makeDropClosedMessages,
  makeSweepClosedMessages,
} from './usecases/endings/close-tie';
import {
  makeEndAgent,
  makeEndIdleAgents,
  makeRequestEnd,
  makeSweepEndings,
  type EndAgentDeps,
} from './usecases/control/end-agent';
import { makeDeliverToForeground } from './usecases/mailbox/deliver-to-foreground';
import { makeNotifySender } from './usecases/notify-sender';
import { makePlaceItems } from './usecases/place-items';
import type { PlanDeps } from './usecases/plan-deliveries';
import { makePostMessage, type MessageFiles, type PostDeps } from './usecases/post-message';
import { makePutItems } from './usecases/put-items';
import { makeResetAgent } from './usecases/control/reset-agent';
import { makeRouteMailbox } from './usecases/route-mailbox';
import { makeSendAgentMessage, type FindRelation } from './usecases/send-agent-message';
import { makeStartBackgroundAgent } from './usecases/start-background-agent';
import { makeStopTurn } from './usecases/control/stop-turn';
import { makeStoreUndelivered } from './usecases/store-undelivered';

export const messagingIndexes: readonly CollectionIndexes[] = [
  inboxIndexes,
  contactIndexes,
  deadLetterIndexes,
  closedTieIndexes,
];

export interface MessagingDeps {
  readonly db: Db;
  readonly agents: AgentReader & AgentWriter;
  readonly history: HistoryReader;
  readonly endings: AgentEndings;
  readonly rankForeground: RankForeground;
  readonly findOrCreateAgent: FindOrCreateAgent;
  /** Like `findOrCreateAgent`, but leaves waiting messages in the mailbox. */
  readonly findOrCreateWithoutMail: FindOrCreateAgent;
  readonly directory: Directory;
  readonly ensureGateways: PlanDeps['ensureGateways'];
  readonly files: MessageFiles;
  readonly findRelation: FindRelation;
  readonly deliverAcrossUsers: DeliverAcrossUsers;
  readonly queueBehindWiredMessages: QueueBehindWiredMessages;
  readonly outbox: OutboxStore;
  /** Notifies the replica that runs a shard's agents that items are waiting. */
  readonly wakeAgents: (shard: number, agentIds: readonly string[]) => void;
  /** Makes an agent's current turn check for stops and resets, on whichever replica it is running. */
  readonly interruptAgent: (agentId: string) => void;
  readonly hintAgentsReached: (agents: readonly Agent[]) => void;
  readonly hintUser: (userId: string) => void;
  readonly guards: RunawayGuards;
  readonly sleepAfterMs: number;
  /** How long a background agent may have nothing to do before it ends. */
  readonly backgroundIdleMs: number;
  readonly log: PostDeps['log'];
  readonly now: () => Date;
}

export type ConsumerOptions = Required<
  Pick<SystemMessageConsumerDeps, 'connection' | 'stream' | 'ackWaitMs' | 'kit'>
>;

export type Messaging = ReturnType<typeof buildMessaging>;

/** Inboxes and everything that puts a message into them. */
export function buildMessaging(deps: MessagingDeps) {
  const { agents, directory, rankForeground, findOrCreateAgent, outbox, guards, now } = deps;
  const { interruptAgent } = deps;
  const inbox = new InboxStore(deps.db);
  const contacts = new ContactStore(deps.db);
  const deadLetters = new DeadLetterStore(deps.db);
  const closedTies = new ClosedTieStore(deps.db);
  const userDataStores: readonly UserDataStore[] = [inbox, contacts, deadLetters, closedTies];
  const notify = (reached: readonly Agent[]): void => {
    wakeByShard(reached, deps.wakeAgents);
    deps.hintAgentsReached(reached);
  };
  const placeItems = makePlaceItems({ agents, inbox, notify });
  const putItems = makePutItems(placeItems);
  const routeMailbox = makeRouteMailbox({ inbox, agents, rankForeground, notify, now });
  const deliverToAgent = makeDeliverToAgent({
    agents,
    outbox,
    putItems,
    now,
  });
  const deliverToForeground = makeDeliverToForeground({
    inbox,
    rankForeground,
    placeItems,
    routeMailbox,
    now,
  });
  const dropClosedMessages = makeDropClosedMessages({
    inbox,
    history: deps.history,
    agents,
    notify,
    outbox,
    now,
  });
  const closeTie = makeCloseTie({ closedTies, dropClosedMessages });
  const endAgentDeps: EndAgentDeps = {
    endings: deps.endings,
    inbox,
    outbox,
    notifySender: makeNotifySender(deliverToAgent),
    interruptAgent,
    hintUser: deps.hintUser,
    now,
  };
  const endAgent = makeEndAgent(endAgentDeps);
  const deliverDeps = {
    agents,
    inbox,
    closedTies,
    dropClosedMessages,
    contacts,
    deadLetters,
    rankForeground,
    placeItems,
    routeMailbox,
    directory,
    ensureGateways: deps.ensureGateways,
    now,
  };
  const redeliver = makeRedeliverSystemMessage(deliverDeps);
  const deliver = makeDeliverSystemMessages(deliverDeps);
  const storeUndelivered = makeStoreUndelivered({ deadLetters, directory, now });
  return {
    inbox,
    deadLetters,
    userDataStores,
    putItems,
    routeMailbox,
    deliverToAgent,
    deliverToForeground,
    storeUndelivered,
    postMessage: withChangeHint(
      makePostMessage({
        agents,
        findOrCreateWithoutMail: deps.findOrCreateWithoutMail,
        history: deps.history,
        inbox,
        putItems,
        routeMailbox,
        files: deps.files,
        log: deps.log,
        now,
      }),
      (_posted, { userId }) => deps.hintUser(userId),
    ),
    markWired: (agent: AgentAddress) => agents.markWired(agent),
    countWaitingMessages: makeCountWaitingMessages({ inbox }),
    resetAgent: makeResetAgent({ agents, putItems, interruptAgent, now }),
    endAgent,
    requestEnd: makeRequestEnd({ agents, endAgent }),
    sweepEndings: makeSweepEndings(endAgentDeps),
    endIdleAgents: makeEndIdleAgents({
      endings: deps.endings,
      inbox,
      endAgent,
      idleMs: deps.backgroundIdleMs,
      now,
    }),
    stopTurn: makeStopTurn({ agents, history: deps.history, putItems, interruptAgent, now }),
    sendAgentMessage: makeSendAgentMessage({
      agents,
      contacts,
      inbox,
      rankForeground,
      findRelation: deps.findRelation,
      deliverAcrossUsers: deps.deliverAcrossUsers,
      queueBehindWiredMessages: deps.queueBehindWiredMessages,
      deliverToAgent,
      guards,
    }),
    startBackgroundAgent: makeStartBackgroundAgent({
      agents,
      findOrCreateAgent,
      putItems,
      guards,
      sleepAfterMs: deps.sleepAfterMs,
      now,
    }),
    deleteDeadLetter: makeDeleteDeadLetter({ deadLetters, now }),
    listDeadLetters: makeListDeadLetters({ deadLetters }),
    retryDeadLetter: makeRetryDeadLetter({
      deadLetters,
      agents,
      closedTies,
      putItems,
      redeliver: (payload) => redeliverPayload(payload, redeliver),
      now,
    }),
    /** Drops messages that are still waiting although their tie has ended. */
    sweepClosedMessages: makeSweepClosedMessages({ closedTies, inbox, dropClosedMessages }),
    /**
     * Starts handling closings. Resolves when those already queued have been handled, or after a time limit.
     */
    startClosings: ({ connection, stream, kit }: Omit<ConsumerOptions, 'ackWaitMs'>) =>
      consumeClosings({ connection, stream, closeTie, storeUndelivered, kit }),
    /** Delivers the stream's system messages until the service stops. */
    startConsumer: ({ connection, stream, ackWaitMs, kit }: ConsumerOptions): void =>
      consumeMessages({
        connection,
        stream,
        ackWaitMs,
        deliver,
        storeUndelivered,
        kit,
      }),
  };
}
