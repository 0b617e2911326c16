import type { DeadLetterStore } from '../store/dead-letter-store';
import type { IncomingMessage } from './deliver-system-message';
import type { Directory } from './ensure-agent';

/** A message that could not be stored anywhere. */
export interface Undelivered {
  readonly id: string;
  /** Undefined when it could not be read. */
  readonly message: IncomingMessage | undefined;
  readonly payload: Uint8Array;
  readonly reason: string;
}

export interface KeepDeps {
  readonly deadLetters: DeadLetterStore;
  readonly directory: Directory;
  readonly now: () => Date;
}

/** Keeps what fitted nowhere: for its user to see, or for operators when there is no such user. */
export function makeKeepUndelivered({ deadLetters, directory, now }: KeepDeps) {
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
