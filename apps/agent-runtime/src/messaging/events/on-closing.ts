import type { SystemMessage } from '@daycare/contracts/common';
import {
  consumeSystemMessages,
  inboxService,
  oneByOne,
  type ConsumerOptions,
} from '@daycare/messaging';
import type { ServiceKit } from '@daycare/service-kit';
import type { MessageTie } from '../domain/closed-tie';
import type { CloseTie } from '../usecases/ties/close-tie';
import type { Undelivered } from '../usecases/delivery/store-undelivered';

export interface ClosingConsumerDeps extends Pick<ConsumerOptions, 'connection' | 'stream'> {
  readonly closeTie: CloseTie;
  readonly storeUndelivered: (undelivered: Undelivered) => Promise<void>;
  readonly kit: Pick<ServiceKit, 'log' | 'metrics' | 'stop'>;
}

/** Usually enough to handle the closings that arrived while no replica was running. */
const catchUpMs = 10_000;

/**
 * Consumes closings, which report that a tie or share has ended. They have a separate consumer, so they overtake queued
 * messages. Messages that a closing forbids must not be handled, so await this before the first turn: the promise
 * resolves once all closings already queued have been handled, or after `catchUpMs`. A closing that fails is retried
 * until it succeeds.
 */
export async function consumeClosings(deps: ClosingConsumerDeps): Promise<void> {
  const { connection, stream, closeTie, storeUndelivered, kit } = deps;
  const consumer = consumeSystemMessages({
    connection,
    stream,
    group: inboxService,
    logger: kit.log,
    observer: kit.metrics.messaging,
    handler: oneByOne(async (message) => {
      const closing = tieOf(message);
      if (closing) await closeTie(closing);
    }),
    maxFailures: Number.MAX_SAFE_INTEGER,
    maxDeliveries: Number.MAX_SAFE_INTEGER,
    deadLetter: ({ id, payload, reason }) =>
      storeUndelivered({ id, message: undefined, payload, reason }),
  });
  kit.stop.add('quiesce', 'closings', () => consumer.stop());
  if (!(await consumer.caughtUp(catchUpMs)))
    kit.log.warn({}, 'some ended ties have not been handled yet; starting anyway');
}

/** Returns the tie that allows a message, or the closing that it reports; undefined when it names no tie. */
export function tieOf(message: TiedMessage): MessageTie | undefined {
  if (!message.tie) return undefined;
  const { id, version, subuserId } = message.tie;
  // Notices do not count against any user's budget.
  const from = message.notice ? '' : message.senderOwnerId || message.senderUserId;
  return {
    id,
    version,
    ...(subuserId === '' ? {} : { subuserId }),
    ...(from === '' ? {} : { from }),
  };
}

type TiedMessage = Pick<SystemMessage, 'tie' | 'notice' | 'senderOwnerId' | 'senderUserId'>;
