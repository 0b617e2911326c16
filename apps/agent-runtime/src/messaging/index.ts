import type { DeadLetterStore } from './store/dead-letter-store';
import type { InboxStore } from './store/inbox-store';
import type { MailboxStore } from './store/mailbox-store';

export type { DeadLetter } from './domain/dead-letter';
export {
  type AskingTurn,
  type InboxItem,
  isControl,
  isFromSchedule,
  resultPrefix,
  textOf,
} from './domain/inbox-item';
export { isGateway } from './domain/agent-message-rules';
export { isWriterOrigin } from './domain/answer-target';
export {
  foreignWriterOf,
  isOwnWords,
  isPrivateItem,
  provenanceOf,
  startedByOf,
} from './domain/item-source';
export { mergedMessage, mergedSystemMessage, mergeLimits, nextWork } from './domain/merge-messages';
export {
  backgroundFailedNotice,
  contextFullNote,
  couldNotHandleNote,
  emergencyResetNote,
  leftOutNote,
  noAnswerNote,
  replacedNote,
  stoppedNote,
  droppedNote,
  timeLimitNote,
  toolCallsLimitNote,
  toolLimitNote,
  truncatedAnswerNote,
  waitingNote,
} from './domain/message-wording';
export { LiveFeed } from './events/live-feed';
export type { DeliverToAgent } from './usecases/delivery/deliver-to-agent';
export type { DeliverToForeground } from './usecases/delivery/deliver-to-foreground';
export type { MessageFiles } from './usecases/sending/post-message';
export type {
  DeliverAcrossUsers,
  QueueBehindWiredMessages,
  RoutedMessage,
} from './usecases/sending/message-routes';
export type { EndAgent } from './usecases/control/end-agent';
export { makeNotifySender } from './usecases/delivery/notify-sender';
export type { PlaceItems } from './usecases/inbox/place-items';
export type { RouteMailbox } from './usecases/inbox/route-mailbox';
export type { FindRelation } from './usecases/sending/send-agent-message';
export type { Relation } from './domain/agent-message-rules';
export type { Messaging } from './build';

export type { WaitingItem } from './store/inbox-store';
export type { WaitingAgent } from './store/wake-key';

/** Reads the items that are waiting for agents. */
export type InboxReader = Pick<
  InboxStore,
  | 'backlog'
  | 'find'
  | 'findControls'
  | 'findRecipient'
  | 'isResetWaiting'
  | 'next'
  | 'nextTrusted'
  | 'oldestItems'
  | 'waitingAgents'
>;

/** Marks items as handled; items are added with `PlaceItems`. */
export type InboxWriter = Pick<InboxStore, 'settle'>;

/** Stores items and messages that were abandoned. */
export type DeadLetterWriter = Pick<DeadLetterStore, 'add'>;

/** Finds users with mail that no agent has received yet. */
export type MailboxReader = Pick<MailboxStore, 'usersWithUnrouted'>;
