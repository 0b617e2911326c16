import { MessageStatus } from '@daycare/contracts/social-graph';
import { findWord } from '@daycare/contracts/enum-words';

/** A message that was written in this browser, with its delivery state. */
export interface SentMessage {
  readonly requestId: string;
  /** Empty until the message has been accepted. */
  readonly messageId: string;
  readonly nametag: string;
  readonly text: string;
  readonly atMs: number;
  /** `unknown`: the page was left while the message was being sent. */
  readonly state: 'sending' | 'unknown' | 'failed' | 'accepted' | 'delivered' | 'dead';
  /** Why the message was not sent or not delivered; empty otherwise. */
  readonly problem: string;
}

/** A message from the other side. */
export interface ReceivedMessage {
  readonly key: string;
  readonly text: string;
  readonly atMs: number;
}

export type ThreadEntry =
  | { readonly kind: 'sent'; readonly message: SentMessage; readonly isAnswered: boolean }
  | { readonly kind: 'received'; readonly message: ReceivedMessage };

/** Converts the status that social-graph reports for an accepted message to the message's state. */
export function stateOf(status: MessageStatus): SentMessage['state'] {
  return findWord(MessageStatus, status) ?? 'accepted';
}

/** Reports whether a message has been accepted but not yet delivered or abandoned. */
export function isUnsettled({ state, messageId }: SentMessage): boolean {
  return messageId !== '' && state === 'accepted';
}

/** Reports whether the person may resend the message with the same request id. */
export function canResend({ state }: SentMessage): boolean {
  return state === 'failed' || state === 'unknown';
}

/**
 * Restores a stored message when the page is loaded. If the message was being sent, the response can no longer arrive,
 * so the outcome is unknown.
 */
export function reviveSent(message: SentMessage): SentMessage {
  return message.state === 'sending' ? { ...message, state: 'unknown' } : message;
}

/** The states from least to most informative; two windows may have stored different states of one message. */
const leastToMostInformative: readonly SentMessage['state'][] = [
  ...(['unknown', 'sending', 'failed', 'accepted', 'delivered', 'dead'] as const),
];

/** Merges the messages of two windows, and sorts them by time. */
export function mergeSent(
  mine: readonly SentMessage[],
  others: readonly SentMessage[],
): readonly SentMessage[] {
  const merged = new Map(others.map((message) => [message.requestId, message]));
  for (const message of mine) {
    const other = merged.get(message.requestId);
    if (
      !other ||
      leastToMostInformative.indexOf(message.state) >= leastToMostInformative.indexOf(other.state)
    )
      merged.set(message.requestId, message);
  }
  return [...merged.values()].sort((one, other) => one.atMs - other.atMs);
}

/**
 * Combines both sides' messages, and sorts them by time. A delivered message is considered answered once the other side
 * has written after it.
 */
export function toThread(
  sent: readonly SentMessage[],
  received: readonly ReceivedMessage[],
): readonly ThreadEntry[] {
  const lastReceived = Math.max(-Infinity, ...received.map(({ atMs }) => atMs));
  const entries: ThreadEntry[] = [
    ...sent.map((message) => ({
      kind: 'sent' as const,
      message,
      isAnswered: message.state === 'delivered' && message.atMs < lastReceived,
    })),
    ...received.map((message) => ({ kind: 'received' as const, message })),
  ];
  return entries.sort((one, other) => one.message.atMs - other.message.atMs);
}

/** Describes the delivery state of a message. */
export function describeDelivery({
  message,
  isAnswered,
}: Extract<ThreadEntry, { kind: 'sent' }>): string {
  switch (message.state) {
    case 'sending':
      return 'Sending…';
    case 'unknown':
      return 'It is unknown whether this was sent.';
    case 'accepted':
      return 'Accepted';
    case 'delivered':
      return isAnswered ? 'Answered' : 'Delivered';
    case 'dead':
      return `Not delivered: ${message.problem || 'delivery was abandoned'}`;
    case 'failed':
      return `Not sent: ${message.problem}`;
  }
}
