import { toAppError } from '@daycare/api';
import type {
  SendFriendMessagesRequest,
  SendFriendMessagesResponse,
} from '@daycare/contracts/social-graph';
import { BrokenSequenceError } from '@daycare/messaging';
import { answerInOrder, logFailure, requireUser, toStatus, type CallContext } from '@daycare/rpc';
import type { SocialGraphUsecases } from '../usecases';
import { TooManyUnknownNames } from '../guards/lookup-budget';
import { LookupQueue, type GuardLookups } from '../guards/nametag-guard';
import { toSendResponse } from './social-graph-messages';

/** A client's stream is not read while it has this many unanswered requests. */
const maxUnanswered = 256;
const maxUnansweredBytes = 4 << 20;
/** The memory that a request and its response take in addition to the strings that the client sent. */
const bytesPerRequest = 512;
const maxRequestIdLength = 128;
/** How soon an idle stream ends after its token has expired or been revoked. */
const checkEveryMs = 5_000;

/**
 * Handles a stream of messages. Rules, limits and errors apply to each message as if it were sent with a separate
 * call. The stream ends only when its credential is no longer valid, this replica stops, the client ends it, or a
 * message fails in such a way that later ones must not overtake it.
 */
export function sendFriendMessagesHandler(
  usecases: Pick<SocialGraphUsecases, 'sendFriendMessages'>,
  { stopping, guard }: { readonly stopping: AbortSignal; readonly guard: GuardLookups },
) {
  return async function* (
    requests: AsyncIterable<SendFriendMessagesRequest>,
    { caller, traceparent, recheck, limit, log }: CallContext,
  ): AsyncGenerator<SendFriendMessagesResponse> {
    const { userId: callerId, agentId, ...turn } = requireUser(caller);
    const send = usecases.sendFriendMessages();
    const queue = new LookupQueue();
    const answer = async (
      request: SendFriendMessagesRequest,
    ): Promise<SendFriendMessagesResponse> => {
      const requestId = echoOf(request.requestId);
      const call = { ...request, callerId, agentId, turn, traceparent };
      try {
        const target = { userId: callerId, name: request.nametag, queue };
        const sent = await guard(target, (lookups) => send({ ...call, lookups }));
        return { requestId, outcome: { $case: 'sent', value: toSendResponse(sent) } };
      } catch (thrown) {
        // Later messages must not overtake this one, so these errors end the stream.
        if (thrown instanceof BrokenSequenceError || thrown instanceof TooManyUnknownNames)
          throw thrown;
        const error = toAppError(thrown);
        logFailure(log, error);
        return { requestId, outcome: { $case: 'error', value: toStatus(error) } };
      }
    };
    yield* answerInOrder(requests, answer, {
      maxUnanswered,
      maxBytes: maxUnansweredBytes,
      sizeOf,
      limit,
      check: recheck,
      checkEveryMs,
      stopping,
    });
  };
}

function sizeOf({ requestId, nametag, message }: SendFriendMessagesRequest): number {
  return requestId.length + nametag.length + message.length + bytesPerRequest;
}

/** Returns the id to echo. Responses come in order, so an id that is too long to be valid need not be echoed. */
function echoOf(requestId: string): string {
  return requestId.length > maxRequestIdLength ? '' : requestId;
}
