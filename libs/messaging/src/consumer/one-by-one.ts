import type { SystemMessage } from '@daycare/contracts/common';
import { toAppError } from '@daycare/api';
import { continueTrace } from '../shared/trace';
import type { BatchHandler, ReceivedMessage } from './batch-handler';

/**
 * Resolves once the message is stored durably. May be called again with the same id at any time and on
 * any replica: for a stored id it must do nothing; for an id that became a dead letter it must throw
 * the same error again.
 */
export type HandleMessage = (
  message: SystemMessage,
  context: { readonly deliveries: number; readonly traceparent: string | undefined },
) => Promise<void>;

type HandledMessages = Pick<BatchHandler, 'findHandled'>;

/**
 * Finds nothing. That is enough for messages to services: the sender publishes only one message per lane at a time, so
 * no predecessor has to be looked up.
 */
const noHandledMessages: HandledMessages = { findHandled: async () => new Set() };

/**
 * Makes a batch handler that handles each message separately: messages of one lane in order, messages of different
 * lanes concurrently.
 */
export function oneByOne(
  handle: HandleMessage,
  { findHandled }: HandledMessages = noHandledMessages,
): BatchHandler<undefined> {
  return {
    prepare: (messages) => Promise.all(messages.map((message) => tryToHandle(handle, message))),
    store: async () => undefined,
    findHandled: (predecessors) => findHandled(predecessors),
    storesInPrepare: true,
  };
}

async function tryToHandle(
  handle: HandleMessage,
  { message, traceparent, deliveries }: ReceivedMessage,
): Promise<Error | undefined> {
  try {
    await continueTrace(traceparent, 'handle system message', (trace) =>
      handle(message, { deliveries, traceparent: trace }),
    );
    return undefined;
  } catch (error) {
    return toAppError(error);
  }
}
