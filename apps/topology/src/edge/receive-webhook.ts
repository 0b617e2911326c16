import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  deliveryIdOf,
  mostWebhookBytes,
  readWebhook,
  type WebhookRefusal,
} from '../domain/webhook';
import type { WebhookDelivery } from '../usecases/accept-webhook';
import type { Admission } from './admit';
import { begin, type ExchangeDeps } from './exchange';
import { tooLarge } from './forward-body';
import { noSuchPlace, Refusal, type RefusalReason } from './refusal';

export interface WebhookDeps extends Pick<ExchangeDeps, 'open'> {
  readonly acceptWebhook: (delivery: WebhookDelivery) => Promise<void>;
}

const reasons: Record<WebhookRefusal, RefusalReason> = {
  400: 'bad_request',
  413: 'too_large',
  415: 'unsupported',
};

/** Takes a post for an agent: answers 202 once it is stored, throws a Refusal otherwise. */
export async function receiveWebhook(
  deps: WebhookDeps,
  admission: Admission & { readonly agentId: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { endpoint, agentId, rest } = admission;
  if (!/^\/(\?|$)/.test(rest)) throw noSuchPlace();
  if (request.method !== 'POST') throw new Refusal(405, 'unsupported', { allow: 'POST' });
  const deliveryId = deliveryIdOf(request.headers);
  if (deliveryId === '') throw new Refusal(400, 'bad_request');
  const end = begin(deps, admission, () => request.socket.destroy());
  try {
    const text = await readText(request, response);
    await deps.acceptWebhook({ endpoint, agentId, deliveryId, text }).catch(unavailable);
    response.writeHead(202, { 'content-length': '0' }).end();
  } finally {
    end();
  }
}

async function readText(request: IncomingMessage, response: ServerResponse): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > mostWebhookBytes) throw tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
  const text = readWebhook({ contentType, contentEncoding, body: await readBody(request) });
  if (typeof text === 'string') return text;
  throw new Refusal(text, reasons[text]);
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostWebhookBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => reject(new Refusal(400, 'bad_request')));
  });
}

function unavailable(cause: unknown): never {
  throw new Refusal(503, 'unavailable', { 'retry-after': '1' }, { cause });
}
