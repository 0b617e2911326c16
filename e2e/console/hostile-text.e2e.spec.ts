import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { OverlapPolicy } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { findBarriers, findMotion, findOverflow } from '../support/console/check-page';
import { describeInBrowser, useBrowser } from '../support/console/chromium';
import { ConsoleWindow } from '../support/console/console-window';
import { post } from '../support/people/history';
import type { Person } from '../support/people/people';
import { silentGateway } from '../support/stack/silent-gateway';
import { useSharedStack } from '../support/stack/use-stack';

const evil = 'http://127.0.0.1:9/evil';
const markup = `<img src="${evil}" onerror="alert(1)"><script>alert(2)</script>`;
const links = `[a](javascript:alert(3)) ![b](${evil}.png) <${evil}> [c](data:text/html,x) | \`x\` | <svg onload=alert(4)>`;
const unbroken = 'x'.repeat(600);
const texts = [
  markup,
  links,
  unbroken,
  `\`\`\`html\n${markup}\n\`\`\`\n\n# ${markup}\n\n> ${links}`,
  `/topology {"${markup.replaceAll('"', "'")}": 1}`,
];
const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(5)</script><image href="${evil}.png"/></svg>`;

describeInBrowser('console pages with hostile text', () => {
  const stack = useSharedStack();
  const browser = useBrowser();
  let ada: Person;
  let eve: Person;
  let agentId = '';
  let paths: readonly string[] = [];
  const windows: ConsoleWindow[] = [];

  beforeAll(async () => {
    [ada, eve] = await stack.people.newFriends();
    agentId = (await stack.agents.foreground(ada)).id;
    for (const text of texts) await stack.runtime.postMessage(post(text, 'desk'), ada.as);
    for (const text of texts.slice(0, 4)) await stack.people.message(eve, ada, text);
    const subuser = { name: markup, description: `${links} ${unbroken}`, systemPrompt: markup };
    const evesAgent = await stack.agents.foreground(eve);
    const evesSubuser = await stack.agents.callTool(evesAgent, 'subuser_create', subuser);
    await stack.people.share(eve, ada, { id: evesSubuser['subuserId']! } as Person);
    const reason = { permission: 'network', reason: `${markup}\u202e${unbroken}` };
    await stack.runtime.postMessage(
      post(`/request_permission ${JSON.stringify(reason)}`, 'desk'),
      ada.as,
    );
    const adasSubuser = await stack.people.newSubuser(ada);
    await stack.people.share(ada, eve, adasSubuser);
    await stack.people.acceptShare(eve, adasSubuser);
    await silentGateway(stack, adasSubuser);
    await stack.people.message(eve, adasSubuser, texts.join('\n'));
    const stranger = await stack.people.newPerson();
    const request = { requestId: createId(), nametag: ada.nametag };
    await stack.graph.addFriend(request, stranger.as);
    paths = [
      ...['/', '/agents', '/agents/new', `/agents/${agentId}`],
      ...['/friends', `/friends/${eve.nametag}`, '/nothing-here', '/agents/nothing-here'],
      ...['/map', '/subusers', `/subusers/${await fillPages()}`, '/automation', '/usage'],
      ...['/settings', '/operator'],
    ];
  });

  /** Gives the subuser and automation pages hostile text to show; resolves with the subuser's id. */
  const fillPages = async (): Promise<string> => {
    const adasAgent = { id: agentId, as: ada.as };
    const subuser = { name: markup, description: links, systemPrompt: markup };
    const { subuserId, gatewayAgentId } = await stack.agents.callTool(
      adasAgent,
      'subuser_create',
      subuser,
    );
    const gateway = {
      id: gatewayAgentId!,
      as: await stack.people.signIn(subuserId!, gatewayAgentId),
    };
    const node = { nodeId: 'evil', title: markup, description: links, content: markup };
    await stack.agents.callTool(gateway, 'memory_write', node);
    const file = { path: 'home/evil.md', content: markup };
    await stack.agents.callTool(gateway, 'file_write', file);
    const prompt = `${markup} ${unbroken}`;
    const schedule = {
      schedule: '0 8 * * *',
      timeZone: '',
      agentId: '',
      once: false,
      quiet: false,
    };
    await stack.runtime.createCron(
      {
        ...schedule,
        requestId: createId(),
        name: markup.slice(0, 90),
        prompt,
        overlap: OverlapPolicy.SKIP,
      },
      ada.as,
    );
    const heartbeat = { requestId: createId(), title: markup.slice(0, 90), prompt, quiet: false };
    await stack.runtime.createHeartbeat(heartbeat, ada.as);
    return subuserId!;
  };
  afterAll(async () => {
    for (const window of windows) await window.close();
  });

  const open = async (options: Parameters<typeof ConsoleWindow.open>[3]) => {
    const window = await ConsoleWindow.open(browser.current, stack, ada, options);
    windows.push(window);
    return window;
  };
  /** Returns the buttons that appear last while a page loads. */
  const lastButtons = (path: string): readonly string[] => {
    if (path === '/') return ['Deny', 'Try again', 'Decline'];
    return path.startsWith('/subusers/') ? ['home/'] : [];
  };
  /** Opens a page and waits until it is complete. */
  const show = async ({ page, url }: ConsoleWindow, path: string): Promise<void> => {
    await page.goto(`${url}${path}`);
    await page.locator('main h1').waitFor();
    if (path === `/agents/${agentId}`) await page.getByRole('article').first().waitFor();
    await eventually(async () => (await page.locator('.skeleton').count()) === 0);
    for (const name of lastButtons(path))
      await page.getByRole('button', { name }).first().waitFor();
  };

  it('an uploaded SVG is offered as a download, and a PNG is shown', async () => {
    const { page } = await open({});
    await show(windows[0]!, `/agents/${agentId}`);
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page.locator('input[type=file]').setInputFiles([
      {
        name: `<img src=x onerror=alert(6)>.svg`,
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(svg),
      },
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') },
    ]);
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await windows[0]!.say('look at these');
    const picture = page.getByRole('img', { name: 'dot.png' });
    await picture.first().waitFor();
    await eventually(() =>
      picture.first().evaluate((image: { naturalWidth?: number }) => image.naturalWidth === 1),
    );
    expect(await page.getByRole('img').count()).toBe(await picture.count());
  });

  /** Window sizes: wide, wide at a zoom of 200 %, a phone, and wide at 400 %. */
  const views = [
    { colorScheme: 'dark', width: 1_280, height: 900, withAxe: true },
    { colorScheme: 'dark', width: 640, height: 450, withAxe: false },
    { colorScheme: 'light', width: 390, height: 844, withAxe: true },
    { colorScheme: 'light', width: 320, height: 640, withAxe: false },
  ] as const;

  it('every page passes axe, fits windows of four sizes, and is not animated when reduced motion is preferred', async () => {
    const { page } = await open({});
    const violations: Record<string, unknown> = {};
    for (const path of paths) {
      await page.setViewportSize({ width: 1_280, height: 900 });
      await show(windows.at(-1)!, path);
      violations[path] = await findMotion(page);
      for (const { colorScheme, width, height, withAxe } of views) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height });
        if (withAxe) violations[`${path} ${colorScheme}`] = await findBarriers(page);
        violations[`${path} ${width}`] = await findOverflow(page);
      }
    }
    expect(violations).toEqual(
      Object.fromEntries(Object.keys(violations).map((name) => [name, []])),
    );
    expect(Object.keys(violations)).toHaveLength(7 * paths.length);
  });

  it('an agent that does not exist is not reported as a lost connection', async () => {
    const { page, url } = windows[0]!;
    await page.goto(`${url}/agents/nothing-here`);
    await page.getByText('There is no such agent').waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
  });

  it('no hostile script ran, nothing violated the security policy, and nothing was requested from other origins', () => {
    for (const { problems, foreignRequests } of windows)
      expect([problems, foreignRequests]).toEqual([[], []]);
  });
});
