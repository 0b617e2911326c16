import type { ServiceName } from '@daycare/contracts/access';
import { NoticeKind, type SystemMessage } from '@daycare/contracts/common';
import {
  consumeSystemMessages,
  oneByOne,
  type ConsumerOptions,
  type DeadLetter,
} from '@daycare/messaging';
import type { ServiceKit } from '../process/run-service';

export interface UserNoticesDeps extends Pick<ConsumerOptions, 'connection' | 'stream'> {
  /** The service that receives the notices. */
  readonly service: Exclude<ServiceName, 'identity'>;
  /** May be interrupted and called again at any time. */
  readonly forgetUser: (userId: string) => Promise<void>;
  /** For services that store names. May be called again at any time, even after a newer rename. */
  readonly renameUser?: (userId: string, name: string, at: Date) => Promise<void>;
  /** For services that refer to agents. May be called again at any time. */
  readonly endAgent?: (agent: {
    readonly userId: string;
    readonly agentId: string;
  }) => Promise<void>;
  /**
   * For services that store message statuses: receives the ids of messages that an inbox dropped. May be called again.
   */
  readonly markMessagesDropped?: (messageIds: readonly string[]) => Promise<void>;
  readonly storeDeadLetter: (deadLetter: DeadLetter) => Promise<void>;
  readonly kit: Pick<ServiceKit, 'log' | 'metrics' | 'stop'>;
}

/**
 * Consumes identity's notices of deleted and renamed users, and agent-runtime's notices of ended agents and dropped
 * messages, each lane in order. Handling a notice is retried until it succeeds, unless the error is
 * permanent.
 */
export function consumeUserNotices(deps: UserNoticesDeps): void {
  const { service, connection, stream, storeDeadLetter, kit } = deps;
  const consumer = consumeSystemMessages({
    connection,
    stream,
    group: service,
    logger: kit.log,
    observer: kit.metrics.messaging,
    handler: oneByOne((message) => onNotice(message, deps)),
    // Only notices that cannot be decoded, or that fail with a permanent error, become dead letters.
    maxFailures: Number.MAX_SAFE_INTEGER,
    maxDeliveries: Number.MAX_SAFE_INTEGER,
    deadLetter: storeDeadLetter,
  });
  kit.stop.add('quiesce', 'user notices', () => consumer.stop());
}

async function onNotice(
  { notice, recipient, acceptedAt }: SystemMessage,
  { forgetUser, renameUser, endAgent, markMessagesDropped }: UserNoticesDeps,
): Promise<void> {
  if (!recipient) return;
  const { userId } = recipient;
  if (notice?.kind === NoticeKind.USER_DELETED) await forgetUser(userId);
  if (notice?.kind === NoticeKind.USER_RENAMED && acceptedAt)
    await renameUser?.(userId, notice.subuserName, acceptedAt);
  if (notice?.kind === NoticeKind.AGENT_ENDED && notice.agentId !== '')
    await endAgent?.({ userId, agentId: notice.agentId });
  if (notice?.kind === NoticeKind.MESSAGES_DROPPED) await markMessagesDropped?.(notice.messageIds);
}
