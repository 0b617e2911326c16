import type { DescMethod } from '@bufbuild/protobuf';
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
  try {
    return await (lent.client[name] as Call)(request, options);
  } finally {
    lent.release();
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
  try {
    yield* (lent.client[name] as Call)(request, options) as AsyncIterable<unknown>;
  } finally {
    lent.release();
  }
}
