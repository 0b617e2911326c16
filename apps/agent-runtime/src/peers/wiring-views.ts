import { Trust } from '@daycare/contracts/common';
import { findWord } from '@daycare/contracts/enum-words';
import {
  SignalState,
  type Channel,
  type ChannelMessage,
  type Signal,
  type SignalSubscription,
} from '@daycare/contracts/topology';
import { AppError, type Trust as TrustLevel } from '@daycare/api';
import { truncateForJson } from '../shared/text/truncate-for-json';
import type { ChannelMessageView, ChannelView, SignalView, SubscriptionView } from '../tools';

/** Below the size limit of a tool result, which contains other fields besides the list. */
export const maxListCharacters = 7_500;
/** The limit for one entry, so that a long one is truncated instead of being left out or crowding out others. */
const maxEntryCharacters = 6_000;

export function toSignalView(signal: Signal | undefined): SignalView {
  const { id, type, dataJson, agentId, repeatKey, createdAt, dueAt, state, trust } =
    required(signal);
  return {
    id,
    type,
    state: findWord(SignalState, state) ?? 'unknown',
    ...(dataJson === '' ? {} : { data: JSON.parse(dataJson) as unknown }),
    ...(agentId === '' ? {} : { agentId }),
    ...(repeatKey === '' ? {} : { repeatKey }),
    createdAt: createdAt?.toISOString(),
    dueAt: dueAt?.toISOString(),
    trust: readTrust(trust),
  };
}

/** Converts a signal, truncating long data so that other signals fit into the list too. */
export function toListedSignal(signal: Signal): SignalView {
  const { shown, cutCharacters } = truncate(signal.dataJson);
  if (cutCharacters === 0) return toSignalView(signal);
  return { ...toSignalView({ ...signal, dataJson: '' }), data: shown, cutCharacters };
}

/** Converts a message, truncating long text so that other messages fit into the list too. */
export function toListedMessage(message: ChannelMessage): ChannelMessageView {
  const { shown, cutCharacters } = truncate(message.text);
  const view = toChannelMessageView({ ...message, text: shown });
  return cutCharacters === 0 ? view : { ...view, cutCharacters };
}

function truncate(text: string): { readonly shown: string; readonly cutCharacters: number } {
  const shown = truncateForJson(text, maxEntryCharacters);
  return { shown, cutCharacters: Array.from(text.slice(shown.length)).length };
}

export function toSubscriptionView(subscription: SignalSubscription | undefined): SubscriptionView {
  const { agentId, pattern, silent } = required(subscription);
  return { agentId, pattern, silent };
}

export function toChannelView(channel: Channel | undefined): ChannelView {
  const { name, leaderAgentId, members } = required(channel);
  return {
    channel: name,
    leaderAgentId,
    members: members.map(({ agentId, username }) => ({ agentId, username })),
  };
}

export function toChannelMessageView(message: ChannelMessage | undefined): ChannelMessageView {
  const { id, senderAgentId, senderUsername, text, mentions, sentAt, trust } = required(message);
  const sender = { senderAgentId, senderUsername };
  const time = sentAt?.toISOString();
  return { id, ...sender, text, mentions, sentAt: time, trust: readTrust(trust) };
}

/** Treats a trust level that this version does not know as the lowest. */
function readTrust(trust: Trust): TrustLevel {
  return findWord(Trust, trust) ?? 'outside';
}

function required<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new AppError('INTERNAL', 'topology returned an incomplete response');
}
