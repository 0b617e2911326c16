import type { DescMethod } from '@bufbuild/protobuf';
import { toAppError } from '@daycare/api';
import type { CallOptions } from '@daycare/rpc';
import type { Upstream } from './upstreams';

type Call = (request: unknown, options: CallOptions) => unknown;

/** The descriptor of an RPC by its name in the client. */
export function methodOf({ service }: Upstream, name: string): DescMethod {
  const method = service.method[name];
  if (!method) throw new Error(`no ${name} in ${service.typeName}`);
  return method;
}

/** Makes a call with a single response. */
export async function singleCall(
  { clients }: Upstream,
  name: string,
  request: unknown,
  options: CallOptions,
): Promise<unknown> {
  const lent = clients.lend();
  let wasCancelled = false;
  try {
    return await (lent.client[name] as Call)(request, options);
  } catch (error) {
    wasCancelled = isCancellation(error);
    throw error;
  } finally {
    lent.release(wasCancelled);
  }
}

/** Makes a call with a stream of responses, which is read no faster than they are consumed. */
export async function* streamCall(
  { clients }: Upstream,
  name: string,
  request: unknown,
  options: CallOptions,
): AsyncGenerator {
  const lent = clients.lend();
  // Also for a reader that leaves before the end.
  let wasCancelled = true;
  try {
    yield* (lent.client[name] as Call)(request, options) as AsyncIterable<unknown>;
    wasCancelled = false;
  } catch (error) {
    wasCancelled = isCancellation(error);
    throw error;
  } finally {
    lent.release(wasCancelled);
  }
}

/** Whether a call was given up on this side, so that its stream was reset. */
function isCancellation(error: unknown): boolean {
  const { code } = toAppError(error);
  return code === 'CANCELLED' || code === 'DEADLINE_EXCEEDED';
}
