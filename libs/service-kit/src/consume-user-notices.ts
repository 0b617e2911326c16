import { NoticeKind, type SystemMessage } from '@daycare/contracts/common';
import {
  consumeSystemMessages,
  subjectsOfService,
  type ConsumerOptions,
  type DeadLetter,
} from '@daycare/messaging';
import type { ServiceKit } from './run-service';

export interface UserNoticesConsumer extends Pick<ConsumerOptions, 'connection' | 'stream'> {
  /** The service that keeps things of users. */
  readonly service: string;
  /** May be cut off and called again at any time. */
  readonly forgetUser: (userId: string) => Promise<void>;
  /** For services that keep names. May be called again at any time, also when there is a newer one. */
  readonly renameUser?: (userId: string, name: string, at: Date) => Promise<void>;
  readonly keepDeadLetter: (letter: DeadLetter) => Promise<void>;
  readonly kit: Pick<ServiceKit, 'log' | 'stop'>;
}

/**
 * Hears from identity who is gone and who has another name, in order; it is carried out however long
 * it takes.
 */
export function consumeUserNotices(parts: UserNoticesConsumer): void {
  const { service, connection, stream, keepDeadLetter, kit } = parts;
  const consumer = consumeSystemMessages({
    connection,
    stream,
    durable: service,
    filterSubjects: [subjectsOfService(stream, service)],
    logger: kit.log,
    handle: (message) => onNotice(message, parts),
    // Only what cannot be read at all is put aside.
    maxFailures: Number.MAX_SAFE_INTEGER,
    maxDeliveries: Number.MAX_SAFE_INTEGER,
    deadLetter: keepDeadLetter,
  });
  kit.stop.add('quiesce', 'notices of users', () => consumer.stop());
}

async function onNotice(
  { notice, recipient, acceptedAt }: SystemMessage,
  { forgetUser, renameUser }: UserNoticesConsumer,
): Promise<void> {
  if (!recipient) return;
  if (notice?.kind === NoticeKind.USER_DELETED) await forgetUser(recipient.userId);
  if (notice?.kind === NoticeKind.USER_RENAMED && acceptedAt)
    await renameUser?.(recipient.userId, notice.subuserName, acceptedAt);
}
