import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { eventually, startOidcProvider, type TestOidcProvider } from '@daycare/testing';
import { describeInBrowser, useBrowser } from '../support/console/chromium';
import {
  callFromPage,
  downloadFromPage,
  firstOfStream,
  uploadFromPage,
} from '../support/gateway/browser-calls';
import { startForeignPages, type ForeignPages } from '../support/gateway/foreign-pages';
import type { Person } from '../support/people/people';
import { useStack } from '../support/stack/use-stack';

const services = ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'] as const;
const clientSecret = 'a secret of this client';
/** Runs in every page, and reports violations of the page's security policy to the console. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Content Security Policy: ' + event.violatedDirective + ' ' + event.blockedURI))`;
let provider: TestOidcProvider;

describeInBrowser('a browser', () => {
  const stack = useStack(async () => {
    const redirectUris = ['http://127.0.0.1/sign-in/callback'];
    provider = await startOidcProvider([
      {
        client_id: 'daycare',
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        application_type: 'native',
      },
    ]);
    const home = { issuer: provider.issuer, clientId: 'daycare', clientSecret, redirectUris };
    return {
      services,
      // Shorter than the remaining lifetime at which the gateway renews tokens, so every request renews them.
      env: { DAYCARE_ACCESS_TOKEN_MS: '30000' },
      envOf: { identity: { DAYCARE_OIDC_PROVIDERS: JSON.stringify({ home }) } },
    };
  });
  const browser = useBrowser();
  let foreign: ForeignPages;
  let gateway: string;
  let ada: Person;

  beforeAll(async () => {
    gateway = `http://${stack.addressOf('gateway')}`;
    foreign = await startForeignPages();
    ada = await stack.people.newPerson();
  });
  afterAll(async () => {
    foreign.stop();
    await provider.stop();
  });

  /** Violations of the pages' policies, which the browser reports to the pages and to its console. */
  const violations: string[] = [];
  const newContext = async (): Promise<BrowserContext> => {
    const context = await browser.current.newContext();
    await context.addInitScript({ content: reportViolations });
    context.on('console', (message) => {
      const text = message.text();
      if (text.includes('Content Security Policy')) violations.push(text);
    });
    return context;
  };
  const newCode = async (): Promise<string> =>
    (await stack.identity.createSignInCode({ userId: ada.id }, { metadata: stack.adminMetadata }))
      .code;
  const signIn = async (page: Page): Promise<void> => {
    await page.goto(`${gateway}/sign-in?code=${await newCode()}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  };
  const html = { name: 'page.html', type: 'text/html', text: '<script>alert(1)</script>' };
  const upload = async (page: Page): Promise<string> => {
    const { status, body } = await uploadFromPage(page, html);
    expect([status, body]).toMatchObject([200, { file: { name: 'page.html', size: '25' } }]);
    return (body as { file: { id: string } }).file.id;
  };
  const whoAmI = (page: Page, userId = ada.id) =>
    callFromPage(page, 'daycare.identity.v1.IdentityService/GetUser', { userId });

  it('a browser signs in with a code, makes calls, opens a stream, and signs out', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await signIn(page);
    expect(await whoAmI(page)).toMatchObject({ status: 200, body: { user: { id: ada.id } } });
    const posted = await callFromPage(
      page,
      'daycare.agent_runtime.v1.AgentRuntimeService/PostMessage',
      {
        requestId: 'hello',
        connector: 'web',
        channelId: 'one',
        connectorUserId: 'me',
        text: 'hello',
      },
    );
    expect(posted).toMatchObject({ status: 200, body: { agentId: expect.any(String) } });
    const { agentId } = posted.body as { agentId: string };
    const path = 'daycare.agent_runtime.v1.AgentRuntimeService/WatchAgent';
    expect(await firstOfStream(page, path, { agentId })).not.toHaveProperty('error');
    await page.goto(`${gateway}/`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in to Daycare').waitFor();
    expect(await whoAmI(page)).toMatchObject({ status: 401 });
    await page.goto(`${gateway}/sign-in?code=dcc_unknown`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The sign-in code is not valid').waitFor();
    await context.close();
  });

  it('a browser uploads a file, reads it in a script and downloads it, but never shows it as a page', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await signIn(page);
    const path = `/files/${await upload(page)}`;
    const read = await page.evaluate(async (url) => (await fetch(url)).text(), path);
    expect(read).toBe(html.text);
    expect(await downloadFromPage(page, path)).toEqual(['page.html', html.text]);
    expect(page.url()).not.toContain('/files/');
    await context.close();
  });

  it('a program needs no sign-in if it presents a personal access token', async () => {
    const { as } = await stack.people.newPerson();
    const { secret } = await stack.people.newAccessToken({ as }, { scopes: ['friends'] });
    const call = async (path: string): Promise<number> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
      return (await fetch(`${gateway}/${path}`, { method: 'POST', headers, body: '{}' })).status;
    };
    await expect(call('daycare.social_graph.v1.SocialGraphService/ListFriends')).resolves.toBe(200);
    await expect(call('daycare.identity.v1.IdentityService/ListSubusers')).resolves.toBe(403);
  });

  it('a browser signs in through an OpenID Connect provider', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(gateway);
    await page.getByRole('button', { name: 'Sign in with home' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await context.close();
  });

  it('two tabs stay signed in when they renew their tokens at the same time', async () => {
    const context = await newContext();
    const [one, two] = [await context.newPage(), await context.newPage()];
    await signIn(one);
    await two.goto(gateway);
    for (let round = 0; round < 4; round += 1) {
      const answers = await Promise.all([one, two, one, two].map((page) => whoAmI(page)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
    await context.close();
  });

  it('a session is accessible neither to scripts nor to pages from other origins', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await signIn(page);
    expect(await page.evaluate('document.cookie')).toBe('');
    const cookies = await context.cookies(gateway);
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
    expect(cookies[0]!.value).not.toContain('eyJ');

    // This page is on another port of the same host, so the browser adds the cookie to its requests.
    const foreignPage = await context.newPage();
    await foreignPage.goto(foreign.url);
    const fileId = await upload(page);
    const files = 'daycare.agent_runtime.v1.AgentRuntimeService/ListFiles';
    const before = await callFromPage(page, files, {});
    const attempts = await foreign.attack(foreignPage, gateway, fileId);
    expect(new Set(Object.values(attempts))).toEqual(new Set(['failed']));
    const frames = foreignPage.frames().map((frame) => frame.url());
    expect(frames).toEqual([foreign.url, 'chrome-error://chromewebdata/']);
    await foreign.submitForm(foreignPage, `${gateway}/sign-out`);
    await foreignPage.getByText('only pages of this gateway can act as you').waitFor();
    const list = 'daycare.identity.v1.IdentityService/ListSubusers';
    expect(await callFromPage(page, list, {})).toEqual({ status: 200, body: {} });
    expect(await callFromPage(page, files, {})).toEqual(before);
    expect(await whoAmI(page)).toMatchObject({ status: 200 });
    await context.close();
  });

  it('the browser reports no policy violations on any page, except for those provoked on purpose', async () => {
    expect(violations.filter((text) => !text.includes('frame-ancestors'))).toEqual([]);
    const page = await (await newContext()).newPage();
    await page.goto(gateway);
    const style = `Object.assign(document.createElement('style'), { textContent: 'a {}' })`;
    await page.evaluate(`document.head.append(${style})`);
    await eventually(() => violations.some((text) => text.includes('style-src-elem inline')));
    await page.context().close();
  });
});
