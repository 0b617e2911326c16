import { isJson } from '../is-json';

/** A request posted to a webhook. */
export interface WebhookPost {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: Uint8Array;
}

/** Why a post is refused, as an HTTP status. */
export type WebhookRefusal = 400 | 413 | 415;

const maxWebhookCharacters = 32_768;
/** The most bytes that the maximum number of characters can take. */
export const maxWebhookBytes = maxWebhookCharacters * 4;

const textTypes = /^(text\/[a-z0-9.+-]+|application\/([a-z0-9.+-]+\+)?json)$/;
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const deliveryHeaders = ['x-delivery-id', 'x-github-delivery', 'idempotency-key'] as const;

/** Returns the text of a post, or why it is refused. */
export function readWebhook(post: WebhookPost): string | WebhookRefusal {
  const [type, charset = 'utf-8'] = mediaTypeOf(post.contentType ?? '');
  const isUncompressed = (post.contentEncoding ?? 'identity').toLowerCase() === 'identity';
  if (!textTypes.test(type) || !/^(utf-?8|us-ascii)$/.test(charset) || !isUncompressed) return 415;
  if (post.body.byteLength > maxWebhookBytes) return 413;
  const text = decode(post.body)?.trim();
  if (!text || control.test(text)) return 400;
  if (Array.from(text).length > maxWebhookCharacters) return 413;
  return type.endsWith('json') && !isJson(text) ? 400 : text;
}

/** Returns the sender's id for this delivery; undefined when there is none, empty when it is invalid. */
export function deliveryIdOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const name = deliveryHeaders.find((each) => headers[each] !== undefined);
  const id = name && headers[name];
  if (id === undefined) return undefined;
  return typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id) ? id : '';
}

/** Renders a post for the agent. `name` is the endpoint's; everything after the first line comes from the sender. */
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
