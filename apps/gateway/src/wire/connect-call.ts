import { fromBinary, type DescMethod } from '@bufbuild/protobuf';
import { createMethodSerializationLookup } from '@connectrpc/connect/protocol';
import { toAppError } from '@daycare/api';
import { respondError } from '../http/respond-error';
import { encode } from '../rpc/message-calls';
import { ObservedCall } from '../rpc/observed-call';
import { registry } from '../rpc/public-services';
import { singleCall } from '../rpc/upstream-calls';
import { compress, type Exchange, type WireHeaders } from './exchange';
import type { WireDeps } from './grpc-call';
import { readBody } from './read-request';

export const connectHeaders: WireHeaders = {
  encoding: 'content-encoding',
  acceptEncoding: 'accept-encoding',
};

/** How the messages of one RPC are read and written in one format. */
interface Codec {
  readonly contentType: string;
  readonly toRequest: (body: Buffer) => Buffer;
  readonly fromResponse: (bytes: Buffer) => Uint8Array;
}

type HandleConnect = (exchange: Exchange, contentType: string) => Promise<void>;

const asIs = (bytes: Buffer): Buffer => bytes;
const proto: Codec = { contentType: 'application/proto', toRequest: asIs, fromResponse: asIs };
const jsonFormat = /^application\/json(?:; ?charset=utf-?8)?$/i;

/** Reports whether a content type is that of a unary Connect call. */
export function isConnectUnary(contentType: string): boolean {
  return contentType === proto.contentType || jsonFormat.test(contentType);
}

/** Handles Connect calls to one unary RPC, translating JSON and forwarding protobuf unchanged. */
export function makeConnectCall(method: DescMethod, deps: WireDeps): HandleConnect {
  const json = jsonCodec(method, deps.maxRequestBytes);
  return async (exchange, contentType) => {
    try {
      await handle(method, deps, exchange, contentType === proto.contentType ? proto : json);
    } catch (thrown) {
      const error = await exchange.delayIfFlooding(thrown, deps.floodGuard);
      if (exchange.finish()) respondError(exchange.request, exchange.response, error);
    }
  };
}

async function handle(
  method: DescMethod,
  deps: WireDeps,
  exchange: Exchange,
  codec: Codec,
): Promise<void> {
  const options = exchange.callOptions();
  const { request, response: accepted } = exchange.compression();
  const read = {
    maxBytes: deps.maxRequestBytes,
    compression: request,
    disconnected: exchange.disconnected,
  };
  const message = codec.toRequest(await readBody(exchange.request, read));
  const forwarded = exchange.forwardedOptions(options);
  const body = codec.fromResponse(await forward(method, deps, message, forwarded));
  const compressed = await compress(accepted, body);
  if (!exchange.finish()) return;
  const { response } = exchange;
  response.setHeader('content-type', codec.contentType);
  if (compressed && accepted) response.setHeader('content-encoding', accepted.name);
  response.setHeader('content-length', (compressed ?? body).length);
  (response.end as (bytes: Uint8Array) => void).call(response, compressed ?? body);
}

async function forward(
  method: DescMethod,
  deps: WireDeps,
  message: Buffer,
  options: Parameters<typeof singleCall>[3],
): Promise<Buffer> {
  const call = new ObservedCall(method, deps);
  try {
    const response = await singleCall(deps.upstream, method.localName, message, options);
    call.end('OK');
    return response;
  } catch (error) {
    call.end(toAppError(error).code);
    throw error;
  }
}

function jsonCodec(method: DescMethod, readMaxBytes: number): Codec {
  const limits = { readMaxBytes, writeMaxBytes: 0xffffffff };
  const formats = createMethodSerializationLookup(method, undefined, { registry }, limits);
  const [input, output] = [formats.getI(false), formats.getO(false)];
  return {
    contentType: 'application/json',
    toRequest: (body) => encode(method, input.parse(body)),
    fromResponse: (bytes) => output.serialize(fromBinary(method.output, bytes)),
  };
}
