export type { BatchHandler, ReceivedMessage } from './consumer/batch-handler';
export type { DeadLetter } from './consumer/failures/dead-letter';
export { consumeSystemMessages, type ConsumerOptions } from './consumer/consume-system-messages';
export { deadLetterIndexes, DeadLetterStore } from './consumer/failures/dead-letter-store';
export { oneByOne } from './consumer/one-by-one';
export { ChangeHints } from './hints/change-hints';
export { connectNats, type NatsHandle } from './nats/connect-nats';
export { toConnectionOptions, type NatsTls } from './nats/connection-options';
export { NatsRefusal } from './nats/connection-refusal';
export type { LinkSubscription, NatsLink } from './nats/nats-link';
export { shardOf } from './nats/shard-of';
export { incarnationOf } from './nats/ensure-stream';
export {
  type StreamPlacement,
  type SystemStream,
  defineSystemStream,
  durableNameOf,
  inboxService,
  streamNameOf,
} from './nats/system-stream';
export { claimedFields } from './outbox/claimed-fields';
export { toRow, type MessageDraft } from './outbox/rows/message-draft';
export type * from './outbox/rows/message-source';
export { OutboxSource } from './outbox/outbox-source';
export { turnFields, type SendingTurn } from './outbox/turn-fields';
export { BrokenSequenceError, type MessageSequence } from './outbox/message-sequence';
export { noLongerAllowedReason, outboxIndexes, type RowTie } from './outbox/rows/outbox-row';
export { budgetSideOf, type BudgetLimits } from './outbox/rows/budgets';
export type { CountInInboxes } from './outbox/rows/waiting-counter';
export { OutboxStore, type MessageStatus } from './outbox/outbox-store';
export {
  startOutboxRelay,
  type OutboxRelayHandle,
  type OutboxRelayOptions,
} from './outbox/start-outbox-relay';
export type { MessagingObserver } from './shared/observer';
export { isSampled, startSpan, type StartedSpan } from './shared/trace';
