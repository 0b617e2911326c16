import { isJson } from './is-json';

/** What somebody posted to a webhook. */
export interface WebhookPost {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: Uint8Array;
}

/** Why a post is not taken, as an HTTP status. */
export type WebhookRefusal = 400 | 413 | 415;

export const mostWebhookCharacters = 32_768;
/** So many characters take no more than this. */
export const mostWebhookBytes = mostWebhookCharacters * 4;

const textTypes = /^(text\/[a-z0-9.+-]+|application\/([a-z0-9.+-]+\+)?json)$/;
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const deliveryHeaders = ['x-delivery-id', 'x-github-delivery', 'idempotency-key'] as const;

/** The text of a post, or why it cannot be one. */
export function readWebhook(post: WebhookPost): string | WebhookRefusal {
  const [type, charset = 'utf-8'] = mediaTypeOf(post.contentType ?? '');
  const isPlain = (post.contentEncoding ?? 'identity').toLowerCase() === 'identity';
  if (!textTypes.test(type) || !/^(utf-?8|us-ascii)$/.test(charset) || !isPlain) return 415;
  if (post.body.byteLength > mostWebhookBytes) return 413;
  const text = decode(post.body)?.trim();
  if (!text || control.test(text)) return 400;
  if (Array.from(text).length > mostWebhookCharacters) return 413;
  return type.endsWith('json') && !isJson(text) ? 400 : text;
}

/** What the sender calls this delivery: undefined when it says nothing, empty when that cannot be used. */
export function deliveryIdOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const name = deliveryHeaders.find((each) => headers[each] !== undefined);
  const given = name && headers[name];
  if (given === undefined) return undefined;
  return typeof given === 'string' && /^[\x21-\x7e]{1,200}$/.test(given) ? given : '';
}

/** How the agent hears of it. The name is the user's own; what follows the first line is the sender's. */
export function webhookText(name: string, text: string): string {
  return `Webhook ${JSON.stringify(name)} received:\n${text}`;
}

function mediaTypeOf(header: string): readonly [string, string | undefined] {
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((each) => /^\s*charset="?([^"\s]*)"?\s*$/.exec(each)?.[1]);
  return [type.trim(), charset.find((found) => found !== undefined)];
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
