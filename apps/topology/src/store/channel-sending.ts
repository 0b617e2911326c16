import type { MongoClient } from 'mongodb';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import type { Channel, ChannelMessage } from '../domain/channel';
import type { ChannelMessageStore } from './channel-message-store';
import type { ChannelStore } from './channel-store';
import { lostRace, runTogether, Undone } from './run-together';

export interface ChannelSendingParts {
  readonly client: MongoClient;
  readonly channels: ChannelStore;
  readonly messages: ChannelMessageStore;
  readonly outbox: OutboxStore;
}

export interface Sending {
  readonly message: ChannelMessage;
  readonly drafts: readonly MessageDraft[];
}

/** Stores what a member says together with what the others are to hear, or nothing. */
export class ChannelSending {
  constructor(private readonly parts: ChannelSendingParts) {}

  /**
   * `say` is given the channel as it is at that moment, undefined when there is none, and throws if
   * nothing may be said. Undefined when the message was stored before.
   */
  async send(
    userId: string,
    name: string,
    say: (channel: Channel | undefined) => Sending,
  ): Promise<Sending | undefined> {
    const { client, channels, messages, outbox } = this.parts;
    return runTogether(client, async (session) => {
      const sending = say((await channels.find(userId, name, session))?.channel);
      const outcome = await messages.append(sending.message, session);
      if (outcome === 'taken') throw lostRace();
      if (outcome === 'known') throw new Undone(undefined);
      if (sending.drafts.length > 0) await outbox.append(sending.drafts, session);
      return sending;
    });
  }
}
