import { toAppError, type ErrorCode } from '@daycare/api';
import { BrokenSequenceError, type MessageSequence } from '@daycare/messaging';
import type { SendCall, SendSteps, SentMessage } from './send-friend-message';

/** Sends a message after the messages of earlier calls. */
export type SendInOrder = (call: SendCall) => Promise<SentMessage>;

type Entry = { readonly sent: Promise<SentMessage> } | { readonly refusal: unknown };

/**
 * Sends the messages of one stream. Each is accepted or refused as by `sendFriendMessage`, and none waits for
 * the one before it to be stored. They still enter the store in the order of the calls, however long each
 * look-up takes, and the store keeps that order within a lane. Once a message has failed for a transient
 * reason, no later one is stored, not even one that is waiting in the store, because the sender will retry the
 * failed message and later ones must not overtake it.
 */
export function makeSendFriendMessages({ prepare, store }: SendSteps): () => SendInOrder {
  return () => {
    let previous: Promise<unknown> = Promise.resolve();
    let isBroken = false;
    // Only a failure in the store breaks this sequence, because other failures must not stop earlier messages
    // that are waiting there.
    const sequence: MessageSequence = { isBroken: false };
    const recordFailure = (error: unknown): void => {
      isBroken ||= !isFinal(error);
    };
    const enter = async (call: SendCall): Promise<SentMessage> => {
      const prepared = prepare(call).then(
        (message) => ({ message }),
        (refusal: unknown) => ({ refusal }),
      );
      const entered = previous
        .then(() => prepared)
        .then((result): Entry => {
          if (isBroken) return { refusal: new BrokenSequenceError() };
          if (!('refusal' in result)) return { sent: store(result.message, sequence) };
          recordFailure(result.refusal);
          return result;
        });
      previous = entered;
      const entry = await entered;
      if ('refusal' in entry) throw entry.refusal;
      return entry.sent;
    };
    return async (call) => {
      try {
        return await enter(call);
      } catch (error) {
        recordFailure(error);
        throw error;
      }
    };
  };
}

const retryableCodes: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'INTERNAL',
  'DEADLINE_EXCEEDED',
  'QUOTA_EXCEEDED',
]);

/** Reports whether a failure is final: retrying the message would not help, so later messages need not wait. */
function isFinal(error: unknown): boolean {
  const { code } = toAppError(error);
  return !retryableCodes.has(code);
}
