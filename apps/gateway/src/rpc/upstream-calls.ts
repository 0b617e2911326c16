import { toAppError } from '@daycare/api';
import type { CallOptions } from '@daycare/rpc';
import { isStream } from './end-when-silent';
import type { Upstream } from './upstreams';

/** One encoded message, or a stream of them. */
export type Requests = Buffer | AsyncIterable<Buffer>;

type Call = (request: Requests, options: CallOptions) => unknown;

/** Makes a call with a single response. Takes and returns encoded messages. */
export async function singleCall(
  { clients }: Upstream,
  name: string,
  request: Requests,
  options: CallOptions,
): Promise<Buffer> {
  const lent = clients.lend();
  let wasCancelled = false;
  try {
    return await ((lent.client[name] as Call)(request, options) as Promise<Buffer>);
  } catch (error) {
    // The call may have failed because its stream of requests failed, which also resets the call's own stream.
    wasCancelled = isCancellation(error) || isStream(request);
    throw error;
  } finally {
    lent.release(wasCancelled);
  }
}

/**
 * Makes a call with a stream of responses, which are read no faster than they are consumed. Takes and returns
 * encoded messages.
 */
export async function* streamCall(
  { clients }: Upstream,
  name: string,
  request: Requests,
  options: CallOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const lent = clients.lend();
  // Stays true if the reader stops before the end.
  let wasCancelled = true;
  try {
    yield* (lent.client[name] as Call)(request, options) as AsyncIterable<Buffer>;
    wasCancelled = false;
  } catch (error) {
    wasCancelled = isCancellation(error) || isStream(request);
    throw error;
  } finally {
    lent.release(wasCancelled);
  }
}

/** Reports whether a call was abandoned on this side, so that its stream was reset. */
function isCancellation(error: unknown): boolean {
  const { code } = toAppError(error);
  return code === 'CANCELLED' || code === 'DEADLINE_EXCEEDED';
}
