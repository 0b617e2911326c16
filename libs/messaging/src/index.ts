export { Alarm } from './alarm';
export type { RetryTiming } from './blame';
export { ChangeHints } from './change-hints';
export { connectNats, type NatsHandle, type NatsOptions } from './connect-nats';
export {
  consumeSystemMessages,
  type ConsumerOptions,
  type SystemMessageConsumer,
} from './consume-system-messages';
export { DeadLetterStore } from './dead-letter-store';
export type { DeadLetter } from './delivery-handler';
export { ensureSystemStream } from './ensure-stream';
export type { MessagingLogger } from './logger';
export type { MessageDraft } from './message-draft';
export type { MessagingObserver } from './observer';
export { outboxIndexes } from './outbox-row';
export { OutboxStore, type AppendResult, type MessageStatus } from './outbox-store';
export { shardOf } from './shard-of';
export { Slots } from './slots';
export {
  startOutboxRelay,
  type OutboxRelayHandle,
  type OutboxRelayOptions,
} from './start-outbox-relay';
export {
  defineSystemStream,
  subjectsOfService,
  subjectsOfShard,
  type SystemStream,
  type SystemStreamOptions,
} from './system-stream';
