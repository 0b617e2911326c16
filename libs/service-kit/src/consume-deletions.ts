import { NoticeKind, type SystemMessage } from '@daycare/contracts/common';
import {
  consumeSystemMessages,
  subjectsOfService,
  type ConsumerOptions,
  type DeadLetter,
} from '@daycare/messaging';
import type { ServiceKit } from './run-service';

export interface DeletionsConsumer extends Pick<ConsumerOptions, 'connection' | 'stream'> {
  /** The service that keeps things of users. */
  readonly service: string;
  /** May be cut off and called again at any time. */
  readonly forgetUser: (userId: string) => Promise<void>;
  readonly keepDeadLetter: (letter: DeadLetter) => Promise<void>;
  readonly kit: Pick<ServiceKit, 'log' | 'stop'>;
}

/** Hears from identity who is gone; a deletion is carried out however long it takes. */
export function consumeDeletions(parts: DeletionsConsumer): void {
  const { service, connection, stream, forgetUser, keepDeadLetter, kit } = parts;
  const consumer = consumeSystemMessages({
    connection,
    stream,
    durable: service,
    filterSubjects: [subjectsOfService(stream, service)],
    logger: kit.log,
    handle: (message) => onUserDeleted(message, forgetUser),
    // Only what cannot be read at all is put aside.
    maxFailures: Number.MAX_SAFE_INTEGER,
    maxDeliveries: Number.MAX_SAFE_INTEGER,
    deadLetter: keepDeadLetter,
  });
  kit.stop.add('quiesce', 'deletions', () => consumer.stop());
}

async function onUserDeleted(
  { notice, recipient }: SystemMessage,
  forgetUser: (userId: string) => Promise<void>,
): Promise<void> {
  if (notice?.kind === NoticeKind.USER_DELETED && recipient) await forgetUser(recipient.userId);
}
