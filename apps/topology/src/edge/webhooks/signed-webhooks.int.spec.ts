import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Trust } from '@daycare/contracts/common';
import { eventually } from '@daycare/testing';
import type { SignatureStyle } from '../../domain/endpoints/signature';
import { ask, RawClient } from '../../test-support/raw-http';
import { livingAgent, type ExposedEndpoint } from '../../test-support/test-edge';
import { useTestSite } from '../../test-support/use-test-site';

const { edges, site } = useTestSite();
const hooks = {} as Record<SignatureStyle, ExposedEndpoint>;
const styles = ['github', 'stripe', 'slack'] as const;
const target = { kind: 'agent', agentId: livingAgent } as const;

beforeAll(async () => {
  for (const auth of styles) hooks[auth] = await site.expose(target, { auth });
});
beforeEach(() => edges.clearOutbox());

const accepted = () => edges.acceptedMessages();

const macOf = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex');
const unixSeconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset;

/** Returns the headers with which a service using that style signs a body. */
function sign(style: SignatureStyle, secret: string, body: string, at = unixSeconds()) {
  const headers: Record<SignatureStyle, () => Record<string, string>> = {
    github: () => ({ 'x-hub-signature-256': `sha256=${macOf(secret, body)}` }),
    stripe: () => ({ 'stripe-signature': `t=${at},v1=${macOf(secret, `${at}.${body}`)}` }),
    slack: () => ({
      'x-slack-request-timestamp': `${at}`,
      'x-slack-signature': `v0=${macOf(secret, `v0:${at}:${body}`)}`,
    }),
  };
  return headers[style]();
}

async function post(style: SignatureStyle, body: string, headers: Record<string, string>) {
  const all = { 'content-type': 'application/json', ...headers };
  return ask(site.port, hooks[style].path, { method: 'POST', headers: all, body });
}
const send = async (style: SignatureStyle, body: string, headers = {}) =>
  (await post(style, body, { ...sign(style, hooks[style].secret, body), ...headers })).status;

describe('webhooks with a signature', () => {
  it.each(styles)('a post with a %s signature is accepted as data from outside', async (style) => {
    expect(await send(style, '{"build": 7}')).toBe(202);
    expect(await accepted()).toMatchObject([
      { origin: `webhook:${hooks[style].id}`, trust: Trust.OUTSIDE, senderAgentId: '' },
    ]);
  });

  it.each(styles)(
    'a %s signature is verified over the raw bytes, not the decoded content',
    async (style) => {
      const body = ' {"é": "\\u00e9",\r\n\t"n": 1.0} ';
      const signed = sign(style, hooks[style].secret, body);
      const reformatted = JSON.stringify(JSON.parse(body));
      expect((await post(style, reformatted, signed)).status).toBe(401);
      expect((await post(style, body, signed)).status).toBe(202);
      expect((await accepted())[0]!.text).toContain(body.trim());
    },
  );

  it.each(styles)(
    'a webhook for %s refuses a signature that is missing, wrong or made for another webhook',
    async (style) => {
      const body = '{"build": 8}';
      const foreign = sign(style, hooks[style === 'slack' ? 'github' : 'slack'].secret, body);
      const otherStyles = styles.filter((candidate) => candidate !== style);
      const attempts: Record<string, string>[] = [
        {},
        foreign,
        sign(style, '', body),
        sign(style, hooks[style].secret, `${body} `),
        ...otherStyles.map((otherStyle) => sign(otherStyle, hooks[style].secret, body)),
        { authorization: `Bearer ${hooks[style].secret}` },
      ];
      for (const headers of attempts) {
        const response = await post(style, body, headers);
        expect([response.status, response.body]).toEqual([401, 'Unauthorized\n']);
        expect(response.headers['www-authenticate']).toBe(
          `HMAC-SHA256 realm="endpoint ${hooks[style].id}"`,
        );
      }
      expect(await accepted()).toEqual([]);
    },
  );

  it.each(['stripe', 'slack'] as const)(
    'a webhook for %s refuses posts dated more than five minutes in the past or in the future',
    async (style) => {
      const body = '{"build": 9}';
      for (const offset of [-310, 310]) {
        const headers = sign(style, hooks[style].secret, body, unixSeconds(offset));
        expect((await post(style, body, headers)).status).toBe(401);
      }
      const headers = sign(style, hooks[style].secret, body, unixSeconds(-290));
      expect((await post(style, body, headers)).status).toBe(202);
    },
  );

  it('the time of a Stripe signature cannot be changed without the secret', async () => {
    const body = '{"build": 10}';
    const old = unixSeconds(-1_000);
    const mac = macOf(hooks.stripe.secret, `${old}.${body}`);
    const headers = { 'stripe-signature': `t=${unixSeconds()},v1=${mac}` };
    expect((await post('stripe', body, headers)).status).toBe(401);
  });

  it('one valid Stripe signature among several suffices, but a v0 signature never does', async () => {
    const body = '{"build": 11}';
    const at = unixSeconds();
    const right = macOf(hooks.stripe.secret, `${at}.${body}`);
    const wrong = macOf('whsec_of_the_old_secret', `${at}.${body}`);
    const statusFor = async (signature: string) =>
      (await post('stripe', body, { 'stripe-signature': signature })).status;
    expect(await statusFor(`t=${at},v1=${wrong},v0=${right}`)).toBe(401);
    expect(await statusFor(`t=${at},v1=${wrong},v1=${wrong}`)).toBe(401);
    expect(await statusFor(`t=${at},v1=${wrong},v1=${right}`)).toBe(202);
  });

  it.each(styles)(
    'a replayed post to a webhook for %s creates no second message, even under another delivery id',
    async (style) => {
      const body = `{"event": "once for ${style}"}`;
      const signed = sign(style, hooks[style].secret, body);
      for (const id of ['d1', 'd2', 'd3'])
        expect((await post(style, body, { ...signed, 'x-github-delivery': id })).status).toBe(202);
      const signedEarlier = sign(style, hooks[style].secret, body, unixSeconds(-60));
      expect((await post(style, body, signedEarlier)).status).toBe(202);
      expect(await accepted()).toHaveLength(1);
      expect(await send(style, `${body} `)).toBe(202);
      expect(await accepted()).toHaveLength(2);
    },
  );

  it('a signed webhook refuses large bodies, whether or not their size is declared', async () => {
    const huge = `"${'x'.repeat(140_000)}"`;
    expect(await send('github', huge)).toBe(413);
    expect(await send('github', huge, { 'transfer-encoding': 'chunked' })).toBe(413);
    expect(await send('github', `"${'x'.repeat(33_000)}"`)).toBe(413);
    expect(await accepted()).toEqual([]);
  });

  it('a signed webhook does not read the body of a post without a signature', async () => {
    const client = new RawClient(site.port).send(
      `POST ${hooks.github.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`,
    );
    await eventually(() => client.received.startsWith('HTTP/1.1 401'));
    client.socket.destroy();
  });

  it('a signed webhook does not wait long for the rest of a body whose signature cannot be checked yet', async () => {
    const hasty = await edges.start({ limits: { unsignedBodyTimeoutMs: 100 } });
    const header = `X-Hub-Signature-256: sha256=${'a'.repeat(64)}`;
    const client = new RawClient(hasty.port).send(
      `POST ${hooks.github.path} HTTP/1.1\r\nHost: x\r\n${header}\r\nContent-Length: 1000\r\n\r\nx`,
    );
    await eventually(() => client.received.startsWith('HTTP/1.1 408'));
    client.socket.destroy();
  });

  it('wrong signatures neither use up a webhook’s rate limit nor lock out the address they come from', async () => {
    const perWebhook = { perSecond: 0.01, burst: 1 };
    const slow = await edges.start({ limits: { perWebhook } });
    const body = '{"build": 12}';
    const statusFor = async (headers: Record<string, string>) => {
      const all = { 'content-type': 'application/json', ...headers };
      return (await ask(slow.port, hooks.github.path, { method: 'POST', headers: all, body }))
        .status;
    };
    const wrong = sign('github', 'another secret', body);
    for (let tries = 0; tries < 20; tries += 1) expect(await statusFor(wrong)).toBe(401);
    const right = sign('github', hooks.github.secret, body);
    expect([await statusFor(right), await statusFor(right)]).toEqual([202, 429]);
  });

  it('Slack’s URL verification gets its challenge back only if it is signed, and is not delivered', async () => {
    const body = '{"type": "url_verification", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9"}';
    expect((await post('slack', body, {})).status).toBe(401);
    const response = await post('slack', body, sign('slack', hooks.slack.secret, body));
    expect([response.status, response.body]).toEqual([200, '3eZbrw1aBm2rZgRNFdxV2595E9']);
    expect(response.headers['content-type']).toBe('text/plain');
    expect(await send('github', body)).toBe(202);
    expect(await accepted()).toHaveLength(1);
  });

  it('a post is refused with 503 if its webhook’s secret was sealed with another key', async () => {
    const rekeyed = await edges.start({ secretKey: 'another key for tests' });
    const body = '{"build": 13}';
    const headers = sign('github', hooks.github.secret, body);
    const response = await ask(rekeyed.port, hooks.github.path, { method: 'POST', headers, body });
    expect(response.status).toBe(503);
  });

  it('a signed webhook refuses a GET, whether or not the GET is signed', async () => {
    expect((await ask(site.port, hooks.github.path)).status).toBe(401);
    const signed = sign('github', hooks.github.secret, '');
    expect((await ask(site.port, hooks.github.path, { headers: signed })).status).toBe(405);
  });
});
