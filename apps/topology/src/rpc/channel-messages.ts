import { Trust } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import type {
  Channel as ChannelWire,
  ChannelMessage as ChannelMessageWire,
} from '@daycare/contracts/topology';
import type { Channel, ChannelMessage } from '../domain/channels/channel';

export function toChannel({ name, leaderAgentId, members, createdAt }: Channel): ChannelWire {
  return { name, leaderAgentId, members: [...members], createdAt };
}

export function toChannelMessage(message: ChannelMessage): ChannelMessageWire {
  const { id, senderAgentId, senderUsername, text, mentions, sentAt } = message;
  const trust = enumOf(Trust, message.trust);
  return { id, senderAgentId, senderUsername, text, mentions: [...mentions], sentAt, trust };
}
