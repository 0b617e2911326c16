import type { MongoClient } from 'mongodb';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { abort, commit, retryTransaction } from '@daycare/mongo';
import type { Channel, ChannelMessage } from '../domain/channels/channel';
import type { ChannelMessageStore } from './channel-message-store';
import type { ChannelStore } from './channel-store';
import { lostRace } from './lost-race';

export interface ChannelMessageSenderDeps {
  readonly client: MongoClient;
  readonly channels: ChannelStore;
  readonly messages: ChannelMessageStore;
  readonly outbox: OutboxStore;
}

export interface PreparedMessage {
  readonly message: ChannelMessage;
  readonly drafts: readonly MessageDraft[];
}

/** Stores a channel message together with its deliveries, in one transaction. */
export class ChannelMessageSender {
  constructor(private readonly deps: ChannelMessageSenderDeps) {}

  /**
   * `prepare` receives the channel as read in the transaction, or undefined if there is none, and throws if the
   * message may not be sent. `send` resolves with undefined if the message was already stored.
   */
  async send(
    userId: string,
    name: string,
    prepare: (channel: Channel | undefined) => PreparedMessage,
  ): Promise<PreparedMessage | undefined> {
    const { client, channels, messages, outbox } = this.deps;
    return retryTransaction(client, async (session) => {
      const prepared = prepare((await channels.find(userId, name, session))?.channel);
      const outcome = await messages.append(prepared.message, session);
      if (outcome === 'taken') throw lostRace();
      if (outcome === 'known') return abort(undefined);
      if (prepared.drafts.length > 0) await outbox.append(prepared.drafts, session);
      return commit(prepared);
    });
  }
}
