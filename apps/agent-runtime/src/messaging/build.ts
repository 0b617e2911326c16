import type { Db } from 'mongodb';
import type { OutboxStore } from '@daycare/messaging';
import type { CollectionIndexes } from '@daycare/mongo';
import { withChangeHint, type UserDataStore } from '@daycare/service-kit';
import type {
  Agent,
  AgentAddress,
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
import { makeCountWaitingMessages } from './usecases/ties/count-waiting-messages';
import { consumeClosings } from './events/on-closing';
import { wakeByShard } from './events/wake-by-shard';
import { ClosedTieStore, closedTieIndexes } from './store/closed-tie-store';
import { contactIndexes, ContactStore } from './store/contact-store';
import { deadLetterIndexes, DeadLetterStore } from './store/dead-letter-store';
import { inboxIndexes } from './store/inbox-row';
import { InboxStore } from './store/inbox-store';
import { MailboxStore } from './store/mailbox-store';
import { TiedMessageStore } from './store/tied-message-store';
import {
  makeDeleteDeadLetter,
  makeListDeadLetters,
  makeRetryDeadLetter,
} from './usecases/delivery/dead-letters';
import {
  makeDeliverSystemMessages,
  makeRedeliverSystemMessage,
} from './usecases/delivery/deliver-system-messages';
import { makeDeliverToAgent } from './usecases/delivery/deliver-to-agent';
import type {
  DeliverAcrossUsers,
  QueueBehindWiredMessages,
} from './usecases/sending/message-routes';
import {
  makeCloseTie,
  makeDropClosedMessages,
  makeSweepClosedMessages,
} from './usecases/ties/close-tie';
import {
  makeEndAgent,
  makeEndIdleAgents,
  makeRequestEnd,
  makeSweepEndings,
  type EndAgentDeps,
} from './usecases/control/end-agent';
import { makeDeliverToForeground } from './usecases/delivery/deliver-to-foreground';
import { makeNotifySender } from './usecases/delivery/notify-sender';
import { makePlaceItems } from './usecases/inbox/place-items';
import type { PlanDeps } from './usecases/delivery/plan-deliveries';
import { makePostMessage, type MessageFiles, type PostDeps } from './usecases/sending/post-message';
import { makeResetAgent } from './usecases/control/reset-agent';
import { makeRouteMailbox } from './usecases/inbox/route-mailbox';
import { makeSendAgentMessage, type FindRelation } from './usecases/sending/send-agent-message';
import { makeStartBackgroundAgent } from './usecases/sending/start-background-agent';
import { makeStopTurn } from './usecases/control/stop-turn';
import { makeStoreUndelivered } from './usecases/delivery/store-undelivered';

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
  /** Wakes these agents, for which items are waiting, on the replica that runs their shard. */
  readonly wakeAgents: (shard: number, agentIds: readonly string[]) => void;
  /** Makes an agent's turn in progress, on whichever replica it runs, check immediately whether it has to end. */
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
  const mailbox = new MailboxStore(deps.db);
  const tiedMessages = new TiedMessageStore(deps.db);
  const contacts = new ContactStore(deps.db);
  const deadLetters = new DeadLetterStore(deps.db);
  const closedTies = new ClosedTieStore(deps.db);
  const userDataStores: readonly UserDataStore[] = [inbox, contacts, deadLetters, closedTies];
  const notify = (reached: readonly Agent[]): void => {
    wakeByShard(reached, deps.wakeAgents);
    deps.hintAgentsReached(reached);
  };
  const placeItems = makePlaceItems({ agents, inbox, notify });
  const routeMailbox = makeRouteMailbox({ mailbox, agents, rankForeground, notify, now });
  const deliverToAgent = makeDeliverToAgent({
    agents,
    outbox,
    placeItems,
    now,
  });
  const deliverToForeground = makeDeliverToForeground({
    mailbox,
    rankForeground,
    placeItems,
    routeMailbox,
    now,
  });
  const dropClosedMessages = makeDropClosedMessages({
    tiedMessages,
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
    mailbox,
    tiedMessages,
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
    mailbox,
    deadLetters,
    userDataStores,
    placeItems,
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
        mailbox,
        placeItems,
        routeMailbox,
        files: deps.files,
        log: deps.log,
        now,
      }),
      (_posted, { userId }) => deps.hintUser(userId),
    ),
    markWired: (agent: AgentAddress) => agents.markWired(agent),
    countWaitingMessages: makeCountWaitingMessages({ tiedMessages }),
    resetAgent: makeResetAgent({ agents, placeItems, interruptAgent, now }),
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
    stopTurn: makeStopTurn({ agents, history: deps.history, placeItems, interruptAgent, now }),
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
      placeItems,
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
      placeItems,
      redeliver: (payload) => redeliverPayload(payload, redeliver),
      now,
    }),
    /** Drops messages that are still waiting although their tie has ended. */
    sweepClosedMessages: makeSweepClosedMessages({ closedTies, tiedMessages, dropClosedMessages }),
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
