import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { withTimeout } from '@daycare/async';
import { slackChallengeOf } from '../../domain/endpoints/signature';
import {
  deliveryIdOf,
  maxWebhookBytes,
  readWebhook,
  type WebhookRefusal,
} from '../../domain/endpoints/webhook';
import type { WebhookDelivery } from '../../usecases/endpoints/accept-webhook';
import type { Admission } from '../admission/admit';
import { beginExchange, type ExchangeDeps } from '../proxy/exchange';
import { tooLarge } from '../proxy/forward-body';
import { notFoundRefusal, Refusal, type RefusalReason } from '../refusal';

export interface ReceiveWebhookDeps extends Pick<ExchangeDeps, 'openExchanges' | 'limits'> {
  readonly acceptWebhook: (delivery: WebhookDelivery) => Promise<void>;
}

const reasons: Record<WebhookRefusal, RefusalReason> = {
  400: 'bad_request',
  413: 'too_large',
  415: 'unsupported',
};

/**
 * Accepts a post for an agent, responding with 202 once it is stored, or returns the challenge of a Slack URL
 * verification. Throws a Refusal otherwise.
 */
export async function receiveWebhook(
  deps: ReceiveWebhookDeps,
  admission: Admission & { readonly agentId: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { endpoint, agentId, rest } = admission;
  if (!/^\/(\?|$)/.test(rest)) throw notFoundRefusal();
  if (request.method !== 'POST') throw new Refusal(405, 'unsupported', { allow: 'POST' });
  const deliveryId = deliveryIdOf(request.headers);
  if (deliveryId === '') throw new Refusal(400, 'bad_request');
  const end = beginExchange(deps, admission, () => request.socket.destroy());
  try {
    const body = await receiveBody(deps, admission, request, response);
    const text = readText(request, body);
    const challenge = endpoint.auth === 'slack' ? slackChallengeOf(text) : undefined;
    if (challenge !== undefined) return returnChallenge(response, challenge);
    const id = admission.verifyBody ? digestOf(body) : deliveryId;
    await deps.acceptWebhook({ endpoint, agentId, deliveryId: id, text }).catch(refuseUnavailable);
    response.writeHead(202, { 'content-length': '0' }).end();
  } finally {
    end();
  }
}

/** Returns the body as it was sent, verified if the endpoint requires a signature. */
async function receiveBody(
  { limits }: ReceiveWebhookDeps,
  { verifyBody }: Admission,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxWebhookBytes) throw tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();
  const { unsignedBodyTimeoutMs, requestTimeoutMs } = limits;
  const timeoutMs = verifyBody ? unsignedBodyTimeoutMs : requestTimeoutMs;
  const tooSlow = (): Refusal => new Refusal(408, 'bad_request');
  const body = await withTimeout(readBody(request), timeoutMs, tooSlow);
  verifyBody?.(body);
  return body;
}

function readText(request: IncomingMessage, body: Buffer): string {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
  const textOrStatus = readWebhook({ contentType, contentEncoding, body });
  if (typeof textOrStatus === 'string') return textOrStatus;
  throw new Refusal(textOrStatus, reasons[textOrStatus]);
}

/** Identifies a signed post by its body, because a replay could change the unsigned header with the delivery id. */
function digestOf(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** Slack registers a URL only if it gets its challenge back. */
function returnChallenge(response: ServerResponse, challenge: string): void {
  const headers = { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' };
  response.writeHead(200, headers).end(challenge);
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxWebhookBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => reject(new Refusal(400, 'bad_request')));
  });
}

function refuseUnavailable(cause: unknown): never {
  throw new Refusal(503, 'unavailable', { 'retry-after': '1' }, { cause });
}
