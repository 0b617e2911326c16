import { deadLetterIndexes, DeadLetterStore, outboxIndexes, OutboxStore } from '@daycare/messaging';
import {
  deletedUserIndexes,
  DeletedUserStore,
  type MongoConfig,
  openMongo,
  type ServiceKit,
} from '@daycare/service-kit';
import type { Db, MongoClient } from 'mongodb';
import { channelMessageIndexes, ChannelMessageStore } from './channel-message-store';
import { ChannelMessageSender } from './channel-message-sender';
import { channelIndexes, ChannelStore } from './channel-store';
import { endedAgentIndexes, EndedAgentStore } from './ended-agent-store';
import { endpointIndexes, EndpointStore } from './endpoint-store';
import { SignalChanges } from './signal-changes';
import { signalIndexes, SignalStore } from './signal-store';
import { subscriptionIndexes, SubscriptionStore } from './subscription-store';
import { makeSurveyWiring } from './survey-wiring';

export type Stores = ReturnType<typeof makeStores>;

/** The indexes of every collection in the service's database. */
export const indexes = [
  channelIndexes,
  channelMessageIndexes,
  deadLetterIndexes,
  endedAgentIndexes,
  endpointIndexes,
  deletedUserIndexes,
  signalIndexes,
  subscriptionIndexes,
  ...outboxIndexes,
];

/** Connects to the database and creates all stores. */
export async function openStores(
  config: MongoConfig,
  name: string,
  kit: Pick<ServiceKit, 'stop' | 'metrics'>,
) {
  return makeStores(await openMongo(config, name, indexes, kit), name);
}

export function makeStores({ client, db }: { client: MongoClient; db: Db }, name: string) {
  const outbox = new OutboxStore(db, name);
  const signals = new SignalStore(db);
  const subscriptions = new SubscriptionStore(db);
  const channels = new ChannelStore(db);
  const messages = new ChannelMessageStore(db);
  const endpoints = new EndpointStore(db);
  const endedAgents = new EndedAgentStore(db);
  return {
    db,
    outbox,
    signals,
    subscriptions,
    signalChanges: new SignalChanges({ client, signals, subscriptions, outbox }),
    channels,
    messages,
    messageSender: new ChannelMessageSender({ client, channels, messages, outbox }),
    endpoints,
    endedAgents,
    surveyWiring: makeSurveyWiring(db),
    deletedUsers: new DeletedUserStore(db),
    deadLetters: new DeadLetterStore(db),
    /** The stores that hold users' data. */
    userDataStores: [signals, subscriptions, channels, messages, endpoints, endedAgents],
  };
}
