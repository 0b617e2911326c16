import { fromBinary, toBinary, type DescMethod, type Message } from '@bufbuild/protobuf';
import type { CallOptions } from '@daycare/rpc';
import { isStream } from './end-when-silent';
import { singleCall, streamCall, type Requests } from './upstream-calls';
import type { Upstream } from './upstreams';

/** One message, or a stream of them. */
export type Messages = Message | AsyncIterable<Message>;

/** Returns the descriptor of the RPC with this name as in TypeScript clients, e.g. `uploadFile`. */
export function methodOf({ service }: Upstream, name: string): DescMethod {
  const method = service.method[name];
  if (!method) throw new Error(`no ${name} in ${service.typeName}`);
  return method;
}

/** Makes a call with a single response. Takes and returns decoded messages. */
export async function singleMessage(
  upstream: Upstream,
  method: DescMethod,
  request: Messages,
  options: CallOptions,
): Promise<Message> {
  const requests = encodeAll(method, request);
  return fromBinary(method.output, await singleCall(upstream, method.localName, requests, options));
}

/** Makes a call with a stream of responses. Takes and returns decoded messages. */
export async function* streamMessages(
  upstream: Upstream,
  method: DescMethod,
  request: Messages,
  options: CallOptions,
): AsyncGenerator<Message, void, undefined> {
  const requests = encodeAll(method, request);
  for await (const bytes of streamCall(upstream, method.localName, requests, options))
    yield fromBinary(method.output, bytes);
}

function encodeAll(method: DescMethod, request: Messages): Requests {
  return isStream(request) ? encodeEach(method, request) : encode(method, request);
}

async function* encodeEach(
  method: DescMethod,
  messages: AsyncIterable<Message>,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const message of messages) yield encode(method, message);
}

/** Encodes a request as the `Buffer` that the client kit expects. */
export function encode({ input }: DescMethod, message: Message): Buffer {
  const { buffer, byteOffset, byteLength } = toBinary(input, message);
  return Buffer.from(buffer, byteOffset, byteLength);
}
