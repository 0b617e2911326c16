import { create, toJsonString, type DescMessage, type Message } from '@bufbuild/protobuf';
import { FieldChecks, invalidField } from '@daycare/api';
import { headerOf, respond, type GatewayRequest } from '../http/gateway-request';
import { methodOf, singleMessage } from '../rpc/message-calls';
import type { FileExchange } from './file-routes';

const maxFileBytes = 32 << 20;
/** Well below what a service accepts: messages of up to 2 MiB, and file chunks of up to 1 MiB. */
const maxChunkBytes = 512 << 10;

/** Stores the body as one of the caller's files. Its name, type and hash come from the query and the headers. */
export async function uploadFile({
  request,
  response,
  origin,
  runtime,
  options,
}: FileExchange): Promise<void> {
  if (Number(headerOf(request, 'content-length')) > maxFileBytes)
    throw invalidField('file', `must be at most ${maxFileBytes} bytes`);
  checkRequestId(request);
  const method = methodOf(runtime, 'uploadFile');
  const parts = partsOf(request, headerFields(request, origin.requestId), method.input);
  const uploaded = await singleMessage(runtime, method, parts, options);
  const json = toJsonString(method.output, uploaded);
  respond(response, 200, json, { 'content-type': 'application/json' });
}

/**
 * Refuses an invalid id. `enterRequest` has replaced it with a random one, under which a retried upload would store the
 * file twice.
 */
function checkRequestId(request: GatewayRequest): void {
  const sent = headerOf(request, 'x-request-id');
  if (sent !== '') new FieldChecks().requestId(sent, 'x-request-id').done();
}

function headerFields(request: GatewayRequest, requestId: string) {
  const { searchParams: query } = new URL(request.url ?? '/', 'http://gateway');
  return {
    requestId,
    name: query.get('name') ?? '',
    mimeType: headerOf(request, 'content-type'),
    sha256: query.get('sha256') ?? '',
  };
}

/** Yields the requests of `UploadFile`: the file's header, then its bytes as they arrive. */
async function* partsOf(
  request: GatewayRequest,
  header: object,
  input: DescMessage,
): AsyncIterable<Message> {
  const part = (name: string, value: unknown): Message =>
    create(input, { part: { case: name, value } });
  yield part('header', header);
  for await (const bytes of request as AsyncIterable<Buffer>) {
    for (let start = 0; start < bytes.length; start += maxChunkBytes)
      yield part('chunk', bytes.subarray(start, start + maxChunkBytes));
  }
}
