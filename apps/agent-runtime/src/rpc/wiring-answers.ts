import {
  SignalState,
  type Channel,
  type ChannelMessage,
  type Signal,
  type SignalSubscription,
} from '@daycare/contracts/topology';
import { AppError } from '@daycare/errors';

const states: Partial<Record<SignalState, string>> = {
  [SignalState.WAITING]: 'waiting',
  [SignalState.EMITTED]: 'emitted',
};

/** A signal as a model is shown it. */
export function toSignalAnswer(signal: Signal | undefined) {
  const { id, type, dataJson, agentId, repeatKey, createdAt, dueAt, state } = required(signal);
  return {
    id,
    type,
    state: states[state] ?? 'unknown',
    ...(dataJson === '' ? {} : { data: JSON.parse(dataJson) as unknown }),
    ...(agentId === '' ? {} : { agentId }),
    ...(repeatKey === '' ? {} : { repeatKey }),
    createdAt: createdAt?.toISOString(),
    dueAt: dueAt?.toISOString(),
  };
}

export function toSubscriptionAnswer(subscription: SignalSubscription | undefined) {
  const { agentId, pattern, silent } = required(subscription);
  return { agentId, pattern, silent };
}

export function toChannelAnswer(channel: Channel | undefined) {
  const { name, leaderAgentId, members } = required(channel);
  return {
    channel: name,
    leaderAgentId,
    members: members.map(({ agentId, username }) => ({ agentId, username })),
  };
}

export function toChannelMessageAnswer(message: ChannelMessage | undefined) {
  const { id, senderAgentId, senderUsername, text, mentions, sentAt } = required(message);
  const sender = { senderAgentId, senderUsername };
  return { id, ...sender, text, mentions, sentAt: sentAt?.toISOString() };
}

function required<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new AppError('INTERNAL', 'topology answered without what was asked for');
}
