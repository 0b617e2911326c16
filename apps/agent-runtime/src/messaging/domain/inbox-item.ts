import type { Trust } from '@daycare/api';
import type { AgentAddress, AttachedFile, StartedBy } from '../../agents';
import { labelsOf, type SendingTurn, type TurnLabels } from './sending-turn';

/**
 * An item that an agent has to handle. Within each lane of the agent's inbox, items keep the order in which they were
 * stored.
 */
export type InboxItem = AcceptedItem & { readonly agentId: string };

/** An item that is not yet addressed to an agent. */
export type AcceptedItem = Acceptance &
  (MessageItem | SystemMessageItem | PermissionDecisionItem | ResetItem | StopItem);

export type InboxItemKind = InboxItem['kind'];

/** A system message for a user, before its recipients among the user's agents are chosen. */
export type IncomingMessage = Acceptance & SystemMessageItem;

/** Which of the user's agents an incoming message is for. */
export type MessageTarget =
  | { readonly kind: 'foreground' }
  | { readonly kind: 'gateway' }
  | { readonly kind: 'agent'; readonly agentId: string };

interface Acceptance {
  readonly userId: string;
  /** Identifies what caused the item; a user receives each message once. */
  readonly messageId: string;
  readonly acceptedAt: Date;
  /** The trace in which the item was accepted, if it is exported; the turn that handles the item continues it. */
  readonly traceparent?: string;
}

/** A person's message: one posted to a channel of a connector, or the steering text of a stop. */
export interface MessageItem {
  readonly kind: 'message';
  readonly text: string;
  readonly files: readonly AttachedFile[];
  readonly replyTarget: string;
}

/** A message from another agent, a friend, a signal, a channel, a webhook, a schedule or the system. */
export interface SystemMessageItem extends SendingTurn {
  readonly kind: 'system_message';
  readonly text: string;
  readonly origin: string;
  /** The name of the schedule that sent the message; absent if the sender has no name or is no schedule. */
  readonly originName?: string;
  /** Present when the message is meant for the person: the connector shows it to them. */
  readonly forPerson?: true;
  /** The files that come with the message; absent when there are none. */
  readonly files?: readonly AttachedFile[];
  /** Recorded without running a turn. */
  readonly silent: boolean;
  /** The agent to notify if the item cannot be handled; absent when no agent sent it. */
  readonly sender?: AgentAddress;
  /** The user on whose behalf it was sent; absent when there is none. */
  readonly senderUserId?: string;
  /** Present on a friend request: its sender is not a friend yet. */
  readonly fromStranger?: true;
}

/** A person's decision about a permission request that the agent has made. */
export interface PermissionDecisionItem {
  readonly kind: 'permission_decision';
  readonly permissionRequestId: string;
  readonly permission: string;
  readonly granted: boolean;
  /** The sequence number at which the agent's context began when it asked; after a reset the decision is obsolete. */
  readonly contextFrom: number;
  /** The turn that asked; the turn that handles the decision has the same trust. Absent when no turn asked. */
  readonly askedIn?: AskingTurn;
  /**
   * The tool call that was granted or denied; if granted, exactly this call runs. Absent when the decision is about
   * a permission.
   */
  readonly call?: DecidedCall;
}

export interface DecidedCall {
  readonly toolName: string;
  readonly argumentsJson: string;
}

export interface AskingTurn {
  readonly trust: Trust;
  readonly readPrivate: boolean;
  /** The guest or outsider whose words were in its context. */
  readonly foreignWriter?: string | undefined;
  /**
   * Whether it had read text from a guest or outsider in a tool's result; the messages that it answered do not count.
   */
  readonly hasReadForeign?: true | undefined;
  readonly startedBy: StartedBy;
  /** The number of agents in the chain that led to it. */
  readonly hops: number;
}

export interface ResetItem extends TurnLabels {
  readonly kind: 'reset';
  readonly message: string;
  /** Present when an agent asked for the reset, which then queues behind the waiting items and stops no turn. */
  readonly byAgent?: true;
}

/** Ends the turn that is in progress when the item is accepted. */
export interface StopItem {
  readonly kind: 'stop';
}

/** Reports whether an item ends the turn in progress. */
export function isControl(item: AcceptedItem): boolean {
  return item.kind === 'stop' || (item.kind === 'reset' && !item.byAgent);
}

/** A system message that is to be delivered. */
export interface SystemMessageDraft extends SendingTurn {
  readonly messageId: string;
  /** Empty when no user sends it. */
  readonly senderUserId: string;
  /** Absent or empty when no agent sends it. */
  readonly senderAgentId?: string;
  readonly origin: string;
  readonly text: string;
  /** The name of the schedule that sends the message; only for messages to an agent of the same user. */
  readonly originName?: string;
  /** Whether the connector shows the message to the person; only for messages to an agent of the same user. */
  readonly forPerson?: boolean;
  /** The user's files that come with the message; only for messages to an agent of the same user. */
  readonly files?: readonly AttachedFile[];
  /** Recorded without running a turn; false by default. */
  readonly silent?: boolean;
}

/** Returns a system message as its recipient's user receives it. */
export function itemOf(
  userId: string,
  draft: SystemMessageDraft,
  acceptedAt: Date,
): IncomingMessage {
  const { messageId, text, origin, silent = false, hops, originName, forPerson, files } = draft;
  const { senderUserId, senderAgentId: agentId } = draft;
  return {
    kind: 'system_message',
    userId,
    messageId,
    acceptedAt,
    text,
    origin,
    silent,
    hops,
    ...labelsOf(draft),
    ...(senderUserId ? { senderUserId } : {}),
    ...(agentId ? { sender: { agentId, userId: senderUserId } } : {}),
    ...(originName ? { originName } : {}),
    ...(forPerson ? { forPerson } : {}),
    ...(files?.length ? { files } : {}),
  };
}

/** Far above every limit on message text, and far below MongoDB's limit on document size. */
const maxTextLength = 1_000_000;

/** Reports whether an item's text is too long to be stored. */
export function isTooLong(item: ItemText): boolean {
  return textOf(item).length > maxTextLength;
}

type ItemText =
  | Pick<MessageItem, 'kind' | 'text'>
  | Pick<SystemMessageItem, 'kind' | 'text'>
  | Pick<PermissionDecisionItem, 'kind' | 'permission' | 'granted'>
  | ResetItem
  | StopItem;

/** Returns the text that represents an item in lists. */
export function textOf(item: ItemText): string {
  switch (item.kind) {
    case 'message':
    case 'system_message':
      return item.text;
    case 'reset':
      return item.message;
    case 'stop':
      return '';
    case 'permission_decision':
      return `${item.permission}: ${item.granted ? 'granted' : 'denied'}`;
  }
}

/** The prefix that turns a schedule's origin into the origin of its results. */
export const resultPrefix = 'result:';

/** Reports whether messages with this origin are a schedule's prompts or the results of its runs. */
export function isFromSchedule(origin: string): boolean {
  const schedule = origin.startsWith(resultPrefix) ? origin.slice(resultPrefix.length) : origin;
  return schedule === 'heartbeat' || schedule.startsWith('cron:');
}

/** Identifies a message that was sent to a user. */
export interface MessageRef {
  readonly id: string;
  readonly userId: string;
}
