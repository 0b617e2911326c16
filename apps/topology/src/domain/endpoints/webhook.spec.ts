import { describe, expect, it } from '@jest/globals';
import { deliveryIdOf, readWebhook, webhookText } from './webhook';

const read = (body: string | Uint8Array, contentType?: string, contentEncoding?: string) =>
  readWebhook({ contentType, contentEncoding, body: Buffer.from(body) });

/** The beginning of a body, short enough for a test title. */
const startOf = (body: string | Uint8Array): string => Buffer.from(body).subarray(0, 10).toString();

describe('a webhook post', () => {
  const accepted: [string, string, string][] = [
    ['hello', 'text/plain', 'hello'],
    [' hello\n', 'Text/Plain; charset=UTF-8', 'hello'],
    ['{"a":1}', 'application/json', '{"a":1}'],
    ['{"a":1}', 'application/vnd.github+json; charset="utf8"', '{"a":1}'],
    ['🦊'.repeat(32_768), 'text/plain', '🦊'.repeat(32_768)],
  ];
  it.each(accepted.map(([body, type, text]) => [startOf(body), type, body, text] as const))(
    'accepts a webhook post whose body starts with %j and whose type is %s',
    (_, type, body, text) => {
      expect(read(body, type)).toBe(text);
    },
  );

  const refused: [string | Uint8Array, string | undefined, number][] = [
    ['hello', undefined, 415],
    ['hello', 'application/octet-stream', 415],
    ['a=1', 'application/x-www-form-urlencoded', 415],
    ['hello', 'text/plain; charset=latin1', 415],
    ['x'.repeat(32_769), 'text/plain', 413],
    ['', 'text/plain', 400],
    [' \n', 'text/plain', 400],
    ['a\u0000b', 'text/plain', 400],
    ['{"a":', 'application/json', 400],
    [new Uint8Array([0xc3, 0x28]), 'text/plain', 400],
    [new Uint8Array(140_000).fill(65), 'text/plain', 413],
  ];
  it.each(refused.map(([body, type, status]) => [startOf(body), type, status, body] as const))(
    'for a webhook post whose body starts with %j and whose type is %s, returns the status %d',
    (_, type, status, body) => {
      expect(read(body, type)).toBe(status);
    },
  );

  it('a compressed webhook post is refused', () => {
    expect(read('hello', 'text/plain', 'gzip')).toBe(415);
  });
});

it.each([
  [{}, undefined],
  [{ 'x-delivery-id': 'd1', 'idempotency-key': 'k1' }, 'd1'],
  [{ 'x-github-delivery': 'g1' }, 'g1'],
  [{ 'idempotency-key': 'k1' }, 'k1'],
  [{ 'x-delivery-id': '' }, ''],
  [{ 'x-delivery-id': 'a b' }, ''],
  [{ 'x-delivery-id': 'x'.repeat(201) }, ''],
])('in the headers %j, the delivery id is %j', (headers, id) => {
  expect(deliveryIdOf(headers)).toBe(id);
});

it('the text of a webhook message names the endpoint in its first line', () => {
  expect(webhookText('build "1"', 'x')).toBe('Webhook "build \\"1\\"" received:\nx');
});
