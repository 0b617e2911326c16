import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PermissionState } from '@daycare/contracts/agent-runtime';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { describeInBrowser, useBrowser } from '../support/console/chromium';
import { ConsoleWindow } from '../support/console/console-window';
import { historyOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { useSharedStack } from '../support/stack/use-stack';

const findings = 'Three new papers since Monday';
/** For every message, the local model runs the command in the last line of the system prompt. */
const subuser = {
  name: 'Research',
  description: 'Summarises research',
  systemPrompt: `You summarise research.\n/send_agent_message ${JSON.stringify({ text: findings })}`,
};

describeInBrowser('two people who use only the keyboard', () => {
  const stack = useSharedStack();
  const browser = useBrowser();
  let ada: Person;
  let bob: Person;
  let adasWindow: ConsoleWindow;
  let bobsWindow: ConsoleWindow;
  let adasAgent = '';

  beforeAll(async () => {
    [ada, bob] = await stack.people.newPair();
    adasWindow = await ConsoleWindow.open(browser.current, stack, ada);
    bobsWindow = await ConsoleWindow.open(browser.current, stack, bob);
  });
  afterAll(async () => {
    await adasWindow.close();
    await bobsWindow.close();
  });

  it('two people each start a conversation and get an answer', async () => {
    adasAgent = await adasWindow.beginConversation('hello, it is Ada');
    await bobsWindow.beginConversation('hello, it is Bob');
    await adasWindow.page.getByText('hello, it is Ada').nth(1).waitFor();
    expect(await historyOf(stack.runtime, ada, adasAgent)).not.toEqual([]);
  });

  it('one person sends a friend request, and the other accepts it in the inbox', async () => {
    await adasWindow.visit('Friends');
    await adasWindow.enter(adasWindow.page.getByRole('textbox', { name: 'Nametag' }), bob.nametag);
    await adasWindow.page.getByText(`Friend request sent to ${bob.nametag}`).waitFor();
    await bobsWindow.visit('Inbox');
    await eventually(async () => (await bobsWindow.page.title()).startsWith('(1) Inbox'));
    await bobsWindow.press(bobsWindow.page.getByRole('button', { name: `Accept ${ada.nametag}` }));
    await bobsWindow.page.getByText('Nothing is waiting for you').waitFor();
    await adasWindow.page.getByRole('link', { name: bob.nametag }).waitFor();
  });

  it('one person shares a subuser, and the other accepts it, writes to it and gets an answer', async () => {
    await adasWindow.visit('Conversations');
    await adasWindow.press(adasWindow.page.getByRole('link', { name: /^main/ }));
    await adasWindow.say(`/subuser_create ${JSON.stringify(subuser)}`);
    await adasWindow.visit('Friends');
    await adasWindow.press(adasWindow.page.getByRole('link', { name: bob.nametag }));
    await adasWindow.press(adasWindow.page.getByRole('button', { name: 'Offer' }));
    await adasWindow.page.getByText('Offered', { exact: true }).waitFor();

    await bobsWindow.page.getByText('Summarises research').waitFor();
    await bobsWindow.press(bobsWindow.page.getByRole('button', { name: /^Accept / }));
    await bobsWindow.visit('Friends');
    await bobsWindow.press(bobsWindow.page.getByRole('link', { name: ada.nametag }));
    await bobsWindow.press(bobsWindow.page.getByRole('link', { name: 'Write to it' }));
    await bobsWindow.enter(
      bobsWindow.page.getByRole('textbox', { name: 'Message' }),
      'What is new?',
    );
    await bobsWindow.page.getByText('Answered').waitFor();
    await bobsWindow.page.getByRole('article').getByText(findings).waitFor();
  });

  it('an agent asks for permission to call a tool, and calls it after permission is granted', async () => {
    const rules = [{ tool: 'friend_send', trust: 'person', verdict: 'ask' }];
    const request = {
      requestId: createId(),
      agentId: adasAgent,
      toolPolicy: { rules, private: false },
    };
    await stack.runtime.configureAgent(request, ada.as);
    await adasWindow.visit('Conversations');
    await adasWindow.press(adasWindow.page.getByRole('link', { name: /^main/ }));
    const call = { message: 'Shall we meet at <b>noon</b>?', nametag: bob.nametag };
    await adasWindow.say(`/friend_send ${JSON.stringify(call)}`);
    await adasWindow.visit('Inbox');
    const card = adasWindow.page.getByRole('article', { name: 'main wants to run friend_send' });
    await card.getByText(JSON.stringify(call, null, 2)).waitFor();
    await adasWindow.press(card.getByRole('button', { name: 'Allow once' }));
    await adasWindow.page.getByText('Nothing is waiting for you').waitFor();
    const { permissionRequests } = await stack.runtime.listPermissionRequests(
      { pageSize: 10, pageToken: '', states: [], agentId: adasAgent },
      ada.as,
    );
    expect(permissionRequests).toMatchObject([{ state: PermissionState.GRANTED }]);
    await bobsWindow.visit('Conversations');
    await bobsWindow.press(bobsWindow.page.getByRole('link', { name: /^main/ }));
    await bobsWindow.page.getByRole('article').getByText(call.message).first().waitFor();
  });

  it('the line to a friend lights up on the map when a message travels along it', async () => {
    await adasWindow.visit('Map');
    await adasWindow.page.locator('svg .map-friend').waitFor();
    // The line is lit for a few seconds only, so messages are sent until it has been seen.
    await eventually(async () => {
      await stack.people.message(bob, ada, 'Are you there?');
      const lit = adasWindow.page.locator('.map-friend.map-lit');
      return lit.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
  });

  it('one person revokes the share and ends the friendship, and the other sees both changes without reloading', async () => {
    await adasWindow.visit('Friends');
    await adasWindow.press(adasWindow.page.getByRole('link', { name: bob.nametag }));
    await eventually(async () => (await adasWindow.page.title()) === `${bob.nametag} – Daycare`);
    await adasWindow.press(adasWindow.page.getByRole('button', { name: 'Revoke' }));
    await bobsWindow.visit('Friends');
    await bobsWindow.press(bobsWindow.page.getByRole('link', { name: ada.nametag }));
    await bobsWindow.page.getByText('Shared with you').waitFor({ state: 'detached' });
    await adasWindow.press(adasWindow.page.getByRole('button', { name: 'Unfriend' }));
    const dialog = adasWindow.page.getByRole('dialog', { name: /^End the friendship/ });
    await adasWindow.press(dialog.getByRole('button', { name: 'Unfriend' }));
    await adasWindow.page.getByText('No friends yet').waitFor();
    await bobsWindow.page.getByText(`${ada.nametag} is not a friend of yours`).waitFor();
    for (const { as } of [ada, bob])
      expect(await stack.graph.listFriends({ pageSize: 10, pageToken: '' }, as)).toMatchObject({
        friends: [],
        requests: [],
      });
    // Ada ended the friendship, so she has to wait before she can send a request again.
    await adasWindow.enter(adasWindow.page.getByRole('textbox', { name: 'Nametag' }), bob.nametag);
    await adasWindow.page
      .getByText(`You can send ${bob.nametag} another request in 7 days`)
      .waitFor();
  });

  it('nothing violated the security policy, and nothing was requested from other origins', () => {
    for (const { problems, foreignRequests } of [adasWindow, bobsWindow])
      expect([problems, foreignRequests]).toEqual([[], []]);
  });
});
