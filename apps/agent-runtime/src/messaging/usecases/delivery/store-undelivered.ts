import type { IncomingMessage } from '../../domain/inbox-item';
import type { DeadLetterStore } from '../../store/dead-letter-store';
import type { Directory } from '../../../agents';

/** A message that no inbox or mailbox accepted. */
export interface Undelivered {
  readonly id: string;
  /** Undefined when it could not be decoded. */
  readonly message: IncomingMessage | undefined;
  readonly payload: Uint8Array;
  readonly reason: string;
}

export interface StoreUndeliveredDeps {
  readonly deadLetters: DeadLetterStore;
  readonly directory: Directory;
  readonly now: () => Date;
}

/** Stores an undeliverable message as a dead letter, for its user or, if there is none, for operators. */
export function makeStoreUndelivered({ deadLetters, directory, now }: StoreUndeliveredDeps) {
  return async ({ id, message, payload, reason }: Undelivered): Promise<void> => {
    const user = message ? await directory.findById(message.userId) : undefined;
    await deadLetters.add([
      {
        id,
        userId: user?.userId ?? '',
        ownerUserId: user?.parentUserId,
        agentId: '',
        kind: 'system_message',
        messageId: id,
        origin: message?.origin ?? '',
        text: message?.text ?? '',
        reason,
        attempts: 1,
        acceptedAt: message?.acceptedAt ?? now(),
        deadAt: now(),
        item: undefined,
        payload,
        retriedBy: undefined,
      },
    ]);
  };
}
