import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import {
  create,
  createFileRegistry,
  fromJson,
  toBinary,
  toJson,
  type DescMethod,
  type JsonValue,
} from '@bufbuild/protobuf';
import { descriptorSet } from '@daycare/contracts/descriptors';

export const registry = createFileRegistry(descriptorSet());

/** The result of a call: the first response, or everything about the error that a program can read. */
export type Outcome =
  | { readonly response: JsonValue | undefined }
  | { readonly code: string; readonly message: string; readonly details: readonly string[] };

const timeoutMs = 20_000;

export interface AnyCall {
  readonly method: DescMethod;
  readonly header: Readonly<Record<string, string>>;
  /** As JSON. If omitted, an RPC that takes one request gets an empty one, and a stream of requests stays empty. */
  readonly request?: JsonValue | undefined;
}

/** Calls any RPC. */
export async function callAny(transport: Transport, call: AnyCall): Promise<Outcome> {
  const { method } = call;
  try {
    const message = await firstResponse(transport, call);
    return { response: message && maskVolatile(toJson(method.output, message, { registry })) };
  } catch (error) {
    const { code, rawMessage, details } = ConnectError.from(error);
    return { code: Code[code], message: rawMessage, details: details.map(describeDetail) };
  }
}

/** Fields that differ between two responses to the same request: new tokens and codes, and timestamps. */
const volatileFields = new Set([
  ...['accessToken', 'accessExpiresAt', 'refreshToken', 'refreshExpiresAt'],
  ...['code', 'expiresAt', 'composedAt', 'secret'],
]);

function maskVolatile(response: JsonValue): JsonValue {
  const text = JSON.stringify(response, (key, value: unknown) =>
    volatileFields.has(key) ? typeof value : value,
  );
  return JSON.parse(text) as JsonValue;
}

async function firstResponse(transport: Transport, { method, header, request: json }: AnyCall) {
  const abort = new AbortController();
  const request = json === undefined ? create(method.input) : fromJson(method.input, json);
  if (method.methodKind === 'unary') {
    const unary = method as DescMethod & { methodKind: 'unary' };
    return (await transport.unary(unary, abort.signal, timeoutMs, header, request)).message;
  }
  const isRequestStream = method.methodKind !== 'server_streaming';
  const requests = isRequestStream && json === undefined ? [] : [request];
  const { message: responses } = await transport.stream(
    method as DescMethod & { methodKind: 'server_streaming' },
    abort.signal,
    timeoutMs,
    header,
    toStream(requests),
  );
  try {
    for await (const response of responses) return response;
    return undefined;
  } finally {
    abort.abort();
  }
}

async function* toStream<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items;
}

function describeDetail(detail: ConnectError['details'][number]): string {
  if (!('desc' in detail)) return `${detail.type} ${Buffer.from(detail.value).toString('base64')}`;
  const bytes = toBinary(detail.desc, create(detail.desc, detail.value));
  return `${detail.desc.typeName} ${Buffer.from(bytes).toString('base64')}`;
}
