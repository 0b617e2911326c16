import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AgentRole, BudgetPeriod } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import type { Locator } from 'playwright-core';
import { describeInBrowser, useBrowser } from '../support/console/chromium';
import { ConsoleWindow } from '../support/console/console-window';
import type { Actor } from '../support/people/agents';
import type { Person } from '../support/people/people';
import { useSharedStack } from '../support/stack/use-stack';

/** Checks that the services store the changes that a person makes on the pages. */
describeInBrowser('a person using the console', () => {
  const stack = useSharedStack();
  const browser = useBrowser();
  const { runtime, identity } = stack;
  let ada: Person;
  let agent: Actor;
  let window: ConsoleWindow;

  beforeAll(async () => {
    ada = await stack.people.newPerson();
    agent = await stack.agents.foreground(ada);
    window = await ConsoleWindow.open(browser.current, stack, ada);
  });
  afterAll(() => window.close());

  const button = (name: string) => window.page.getByRole('button', { name, exact: true });
  const field = (name: string) => window.page.getByLabel(name, { exact: true });
  const findSubuser = async (): Promise<[subuserId: string, gatewayId: string]> => {
    const { subusers } = await identity.listSubusers({ pageSize: 0, pageToken: '' }, ada.as);
    const page = { pageSize: 0, pageToken: '', kinds: [], includeDead: false };
    const subuserId = subusers[0]!.id;
    const { agents } = await runtime.listAgents({ ...page, subuserId }, ada.as);
    return [subuserId, agents[0]!.id];
  };
  /** Presses a link or button; resolves with the file that the browser saves. */
  const download = async (target: Locator): Promise<Buffer> => {
    const saving = window.page.waitForEvent('download');
    await window.press(target);
    return readFile(await (await saving).path());
  };
  const fill = async (name: string, text: string): Promise<void> => {
    await window.focus(field(name));
    await field(name).fill(text);
  };

  it('a person creates a subuser, changes its instructions and sets a rule for its guests', async () => {
    await window.visit('Subusers');
    await window.press(button('New subuser'));
    await fill('Name', 'Cook');
    await fill('Instructions', 'You know recipes.');
    await window.press(button('Create'));
    await window.page.getByRole('heading', { level: 1, name: 'Cook' }).waitFor();
    await fill('Instructions', 'You know cakes.');
    await window.press(button('Save instructions'));
    await field('Tool').selectOption('cron_add');
    await field('The call').selectOption('refuse');
    await window.press(button('Add rule'));
    await window.page.getByRole('cell', { name: 'cron_add', exact: true }).waitFor();
    const subuserId = new URL(window.page.url()).pathname.split('/').at(-1)!;
    const page = { pageSize: 0, pageToken: '', kinds: [], includeDead: false };
    const { agents } = await runtime.listAgents({ ...page, subuserId }, ada.as);
    expect(agents[0]).toMatchObject({
      descriptor: { kind: { value: { name: 'Cook', systemPrompt: 'You know cakes.' } } },
      toolPolicy: {
        rules: [{ tool: 'cron_add', trust: 'guest', verdict: 'refuse' }],
        private: false,
      },
    });
  });

  it('the owner can read a subuser’s memory but not change it, and the owner’s own agents cannot read it', async () => {
    const [subuserId, gatewayId] = await findSubuser();
    const gateway = { id: gatewayId, as: await stack.people.signIn(subuserId, gatewayId) };
    const node = { nodeId: 'cake', title: 'Cake', content: 'Bake for **an hour**.' };
    await stack.agents.callTool(gateway, 'memory_write', node);
    await window.page.reload();
    await window.press(button('Cake'));
    await window.page.getByText('Bake for an hour.').waitFor();
    const owner = { id: gatewayId, as: ada.as };
    await expect(stack.agents.callTool(owner, 'memory_write', node)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const asAgent = { id: gatewayId, as: agent.as };
    const reading = stack.agents.callTool(asAgent, 'memory_read', { nodeId: 'cake' });
    await expect(reading).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a person attaches a file, and downloads it and a file written by the agent', async () => {
    await window.page.goto(`${window.url}/agents/${agent.id}`);
    const notes = Buffer.from('Tea, bread and \u{1f34f}');
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: notes };
    await window.page.locator('input[type=file]').setInputFiles(file);
    await button('Remove notes.txt').waitFor();
    await window.say('Here is the list.');
    const ownMessages = window.page.getByRole('article', { name: 'You' });
    expect(await download(ownMessages.getByRole('link', { name: /notes\.txt/ }))).toEqual(notes);
    await window.say('/file_write {"path": "home/plan.txt", "content": "Buy bread."}');
    await window.say('/attach_file {"path": "home/plan.txt"}');
    const answers = window.page.getByRole('article', { name: 'Agent' });
    const plan = await download(answers.getByRole('link', { name: /plan\.txt/ }));
    expect(plan.toString()).toBe('Buy bread.');
  });

  it('a person who attaches 17 files is told that one of them is not attached', async () => {
    await window.page.goto(`${window.url}/agents/${agent.id}`);
    const files = Array.from({ length: 17 }, (_, index) => ({
      name: `${index}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`${index}`),
    }));
    await window.page.locator('input[type=file]').setInputFiles(files);
    await window.page
      .getByText('A message can have at most 16 files; 1 was not attached.')
      .waitFor();
    await button('Remove 15.txt').waitFor();
    expect(await button('Remove 16.txt').count()).toBe(0);
  });

  it('a person sets and removes a budget', async () => {
    await window.visit('Usage');
    await window.press(button('Set a budget'));
    await fill('Tokens', '5000');
    await window.press(button('Save'));
    await window.page.getByText('of 5K tokens').waitFor();
    const { budgets } = await runtime.listBudgets({ userId: '' }, ada.as);
    expect(budgets).toMatchObject([{ period: BudgetPeriod.DAY, maxTokens: 5_000 }]);
    await window.press(button('Remove the budget for Everything, per day'));
    await window.page.getByText('No budgets').waitFor();
    expect((await runtime.listBudgets({ userId: '' }, ada.as)).budgets).toEqual([]);
  });

  it('a person changes their name and time zone', async () => {
    await window.visit('Settings');
    await fill('Your name', 'Ada Lovelace');
    // The zones are listed only after the field gets the focus.
    await window.focus(field('Time zone'));
    await field('Time zone').selectOption('Europe/Vienna');
    await window.press(button('Save profile'));
    await window.page.getByText('Profile saved.').waitFor();
    const { user } = await identity.getUser({ userId: ada.id }, ada.as);
    expect(user).toMatchObject({ name: 'Ada Lovelace', timeZone: 'Europe/Vienna' });
  });

  it('a person chooses a model', async () => {
    await window.visit('Settings');
    await window.page.getByRole('combobox', { name: 'Model' }).selectOption('local/echo');
    await window.press(window.page.getByRole('button', { name: 'Save', exact: true }).last());
    await window.page.getByText('(chosen by you)').waitFor();
    const request = { userId: '', agentId: agent.id, role: AgentRole.UNSPECIFIED };
    const { current } = await runtime.getModel(request, ada.as);
    expect(current?.settings[0]?.models).toEqual(['local/echo']);
  });

  it('a person creates a cron, runs it and sees its outcome', async () => {
    await window.visit('Automation');
    await window.press(button('New cron'));
    await fill('Name', 'tea');
    await fill('Prompt', 'Make tea');
    await window.press(button('Save'));
    await window.press(button('Run now tea'));
    await window.page.getByText('Answered').waitFor();
    const { crons } = await runtime.listCrons({ pageSize: 0, pageToken: '' }, ada.as);
    expect(crons).toMatchObject([{ name: 'tea', schedule: '0 8 * * 1-5', prompt: 'Make tea' }]);
  });

  it('a person creates an access token that works, and revokes it', async () => {
    await window.visit('Settings');
    await window.press(button('New token'));
    await fill('Name', 'script');
    await window.press(button('Create'));
    const secret = (await window.page.getByLabel('The secret').textContent())!.trim();
    await window.press(button('Done'));
    const exchange = () => identity.exchangeAccessToken({ secret });
    expect((await exchange()).tokens?.accessToken).toBeTruthy();
    await window.press(button('Revoke script'));
    await window.press(button('Revoke'));
    await window.page.getByText('No access tokens').waitFor();
    // The focused card was removed, so the focus moves to the heading of its section.
    const heading = window.page.getByRole('heading', { name: 'Access tokens' });
    await eventually(() =>
      heading.evaluate((element) => element === element.ownerDocument.activeElement),
    );
    await expect(exchange()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('an operator sees the services’ health and finds a user and the user’s sessions', async () => {
    const request = { requestId: createId(), name: 'console', scopes: ['admin'], subuserId: '' };
    const admin = { metadata: stack.adminMetadata };
    const { secret } = await identity.createAccessToken({ ...request, lifetimeMs: 0 }, admin);
    await window.visit('Operator');
    await fill('Operator’s access token', 'dcp_wrong');
    await window.press(button('Continue'));
    await window.page.getByText('This token is invalid').first().waitFor();
    await fill('Operator’s access token', secret);
    await window.press(button('Continue'));
    await window.page.getByRole('cell', { name: 'social-graph' }).waitFor();
    expect(await window.page.getByText('Healthy', { exact: true }).count()).toBe(4);
    await fill('Nametag begins with', ada.nametag);
    await window.page.getByRole('cell', { name: ada.id }).waitFor();
    await window.press(button(`Sessions of ${ada.nametag}`));
    const heading = window.page.getByRole('heading', { name: `Sessions of ${ada.nametag}` });
    await eventually(() =>
      heading.evaluate((element) => element === element.ownerDocument.activeElement),
    );
    const sessions = window.page.getByRole('group', { name: 'Sessions' });
    await sessions.getByRole('cell', { name: 'admin' }).first().waitFor();
  });

  it('five windows in one browser receive updates, and the remaining ones still do after three are closed and one is reloaded', async () => {
    const agents: Actor[] = [];
    for (const channel of ['one', 'two', 'three', 'four'])
      agents.push(await stack.agents.foreground(ada, channel));
    const windows = await Promise.all(agents.map(({ id }) => window.openAnother(`/agents/${id}`)));
    await Promise.all(
      windows.map((page) => page.getByRole('textbox', { name: 'Message' }).waitFor()),
    );
    for (const [index, page] of windows.entries()) {
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill(`window ${index}`);
      await box.press('Enter');
    }
    await Promise.all(
      windows.map((page, index) =>
        page.getByRole('article', { name: 'Agent' }).getByText(`window ${index}`).waitFor(),
      ),
    );
    const stranger = await stack.people.newPerson();
    await stack.graph.addFriend({ requestId: createId(), nametag: ada.nametag }, stranger.as);
    const all = [window.page, ...windows];
    await eventually(async () =>
      (await Promise.all(all.map((page) => page.title()))).every((title) =>
        title.startsWith('(1)'),
      ),
    );
    // One window, the leader, keeps the streams open for all of them; it is among those that are closed or reloaded.
    await Promise.all(windows.slice(0, 3).map((page) => page.close()));
    await window.page.reload();
    await stack.graph.removeFriend({ requestId: createId(), nametag: ada.nametag }, stranger.as);
    await eventually(async () => !(await windows[3]!.title()).startsWith('(1)'));
    await eventually(async () => !(await window.page.title()).startsWith('(1)'));
    await windows[3]!.close();
  });

  it('a person exports everything as a tar archive', async () => {
    await window.visit('Settings');
    const names = (await download(button('Export everything'))).toString('latin1');
    expect(names).toContain('topology.json');
    expect(names).toContain(`agents/${agent.id}/`);
  });

  it('a person can delete their account after typing their nametag', async () => {
    await window.press(button('Delete account'));
    await fill(`Type ${ada.nametag} to confirm`, ada.nametag);
    await window.press(button('Delete everything'));
    await window.page.waitForURL('**/sign-in**');
    await eventually(async () => {
      const users = { pageSize: 0, pageToken: '', nametagPrefix: ada.nametag };
      const matches = await identity.listUsers(users, { metadata: stack.adminMetadata });
      return matches.users.length === 0;
    });
  });

  it('nothing violated the security policy, and nothing was requested from other origins', () => {
    expect([window.problems, window.foreignRequests]).toEqual([[], []]);
  });
});
