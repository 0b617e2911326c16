import { DeadLetterStore, outboxIndexes, OutboxStore } from '@daycare/messaging';
import {
  goneUserIndexes,
  GoneUserStore,
  type MongoConfig,
  openMongo,
  type ServiceKit,
} from '@daycare/service-kit';
import type { Db, MongoClient } from 'mongodb';
import { channelMessageIndexes, ChannelMessageStore } from './channel-message-store';
import { ChannelSending } from './channel-sending';
import { channelIndexes, ChannelStore } from './channel-store';
import { endpointIndexes, EndpointStore } from './endpoint-store';
import { SignalChanges } from './signal-changes';
import { signalIndexes, SignalStore } from './signal-store';
import { subscriptionIndexes, SubscriptionStore } from './subscription-store';

export type Stores = ReturnType<typeof makeStores>;

/** Every index of the service's database. */
export const indexes = [
  channelIndexes,
  channelMessageIndexes,
  endpointIndexes,
  goneUserIndexes,
  signalIndexes,
  subscriptionIndexes,
  ...outboxIndexes,
];

/** Everything that the service keeps. */
export async function openStores(config: MongoConfig, name: string, kit: Pick<ServiceKit, 'stop'>) {
  return makeStores(await openMongo(config, name, indexes, kit), name);
}

export function makeStores({ client, db }: { client: MongoClient; db: Db }, name: string) {
  const outbox = new OutboxStore(db, name);
  const signals = new SignalStore(db);
  const subscriptions = new SubscriptionStore(db);
  const channels = new ChannelStore(db);
  const messages = new ChannelMessageStore(db);
  const endpoints = new EndpointStore(db);
  return {
    db,
    outbox,
    signals,
    subscriptions,
    signalChanges: new SignalChanges({ client, signals, subscriptions, outbox }),
    channels,
    messages,
    channelSending: new ChannelSending({ client, channels, messages, outbox }),
    endpoints,
    goneUsers: new GoneUserStore(db),
    deadLetters: new DeadLetterStore(db),
    /** Those that keep anything of a user. */
    keepers: [signals, subscriptions, channels, messages, endpoints],
  };
}
