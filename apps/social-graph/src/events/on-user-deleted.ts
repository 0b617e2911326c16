import { NoticeKind, type SystemMessage } from '@daycare/contracts/common';
import { consumeSystemMessages, subjectsOfService, type ConsumerOptions } from '@daycare/messaging';
import type { ServiceKit } from '@daycare/service-kit';

export interface DeletionsConsumer extends Pick<ConsumerOptions, 'connection' | 'stream'> {
  readonly forgetUser: (userId: string) => Promise<void>;
  readonly kit: Pick<ServiceKit, 'log' | 'stop'>;
}

const service = 'social-graph';

/** Hears from identity who is gone. */
export function consumeDeletions({ connection, stream, forgetUser, kit }: DeletionsConsumer): void {
  const consumer = consumeSystemMessages({
    connection,
    stream,
    durable: service,
    filterSubjects: [subjectsOfService(stream, service)],
    logger: kit.log,
    handle: (message) => onUserDeleted(message, forgetUser),
    // What cannot be carried out is for an operator to see; identity keeps the fact.
    deadLetter: async ({ id, reason }) =>
      kit.log.error({ messageId: id, reason }, 'a deletion was not carried out'),
  });
  kit.stop.add('quiesce', 'deletions', () => consumer.stop());
}

async function onUserDeleted(
  { notice, recipient }: SystemMessage,
  forgetUser: (userId: string) => Promise<void>,
): Promise<void> {
  if (notice?.kind === NoticeKind.USER_DELETED && recipient) await forgetUser(recipient.userId);
}
