import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import type { Page } from 'playwright-core';
import { describeInBrowser, useBrowser } from '../support/console/chromium';
import { ConsoleWindow } from '../support/console/console-window';
import { recordReceived, type ReceivedData } from '../support/console/record-received';
import { post } from '../support/people/history';
import type { Person } from '../support/people/people';
import { useSharedStack } from '../support/stack/use-stack';

const adasText = 'The roses are for Grace';
const adasNote = 'See you at the harbour';

/** Two people who share one computer: windows of one browser profile share cookies, storage, locks and channels. */
describeInBrowser('two people in one browser', () => {
  const stack = useSharedStack();
  const browser = useBrowser();
  let ada: Person;
  let bob: Person;
  /** A friend of Ada's whom Bob does not know. */
  let grace: Person;
  let stranger: Person;
  let first: ConsoleWindow;
  let second: Page;
  let firstReceived: ReceivedData;
  let secondReceived: ReceivedData;

  beforeAll(async () => {
    [ada, bob] = await stack.people.newPair();
    [grace, stranger] = await stack.people.newPair();
    await stack.people.befriend(ada, grace);
    first = await ConsoleWindow.open(browser.current, stack, ada);
    firstReceived = await recordReceived(first.page);
    await first.page.reload();
    second = await first.context.newPage();
    secondReceived = await recordReceived(second);
  });
  afterAll(() => first.close());

  /** Returns which of Ada's data a window has received since `received` was last cleared. */
  const tracesOfAda = (received: ReceivedData): Promise<readonly string[]> =>
    received.find([adasText, adasNote, grace.nametag, ada.nametag]);
  const askToBefriend = (from: Person, to: Person) =>
    stack.graph.addFriend({ requestId: createId(), nametag: to.nametag }, from.as);
  const waitForUser = (page: Page, { nametag }: Person) =>
    page.locator('.me-name', { hasText: nametag }).waitFor();
  const waitForTitle = (page: Page, title: string) =>
    eventually(async () => (await page.title()).startsWith(title));

  /** Reads a person's agents, files, friends and friend requests from the services. */
  const everythingOf = async ({ as }: Person) => {
    const page = { pageSize: 0, pageToken: '' };
    const listing = { ...page, subuserId: '', kinds: [], includeDead: true };
    const { agents } = await stack.runtime.listAgents(listing, as);
    const { files } = await stack.runtime.listFiles(page, as);
    const { friends, requests } = await stack.graph.listFriends(page, as);
    return { agents, files, friends, requests };
  };

  it('the first person writes to an agent and to a friend, and the window receives both messages', async () => {
    await first.beginConversation(adasText);
    await first.visit('Friends');
    await first.press(first.page.getByRole('link', { name: grace.nametag }));
    await first.say(adasNote);
    await first.page
      .getByText(/Accepted|Delivered/)
      .first()
      .waitFor();
    expect(await tracesOfAda(firstReceived)).toEqual([
      ...[adasText, adasNote, grace.nametag, ada.nametag],
    ]);
  });

  it('another window, in which the second person signs in, receives none of the first person’s data', async () => {
    await first.signIn(stack, bob, second);
    await waitForUser(second, bob);
    // Bob's window must receive the events for Bob, but none for Ada.
    await stack.runtime.postMessage(post(adasText, 'later'), ada.as);
    await askToBefriend(stranger, ada);
    await askToBefriend(stranger, bob);
    await waitForTitle(second, '(1) Inbox');
    await second.getByText(`${stranger.nametag} sent you a friend request`).waitFor();
    expect(await secondReceived.find([bob.nametag])).toEqual([bob.nametag]);
    expect(await tracesOfAda(secondReceived)).toEqual([]);
  });

  it('the first person’s window reloads for the second person, because a browser has only one session', async () => {
    await waitForUser(first.page, bob);
    await firstReceived.clear();
    await first.page.reload();
    await waitForUser(first.page, bob);
    await waitForTitle(first.page, '(1) Inbox');
    expect(await tracesOfAda(firstReceived)).toEqual([]);
    await second.close();
  });

  it.each<[string, () => Promise<void>]>([
    [
      'starts a conversation',
      async () => {
        await first.page.goto(`${first.url}/agents/new`);
        const field = first.page.getByRole('textbox', { name: 'Message' });
        await field.waitFor();
        await first.replaceSession(stack, bob);
        await first.enter(field, adasText);
      },
    ],
    [
      'attaches a file',
      async () => {
        await first.page.goto(`${first.url}/agents/new`);
        const input = first.page.locator('input[type=file]');
        await input.waitFor({ state: 'attached' });
        await first.replaceSession(stack, bob);
        const buffer = Buffer.from(adasText);
        await input.setInputFiles([{ name: 'roses.txt', mimeType: 'text/plain', buffer }]);
      },
    ],
    [
      'sends a friend request',
      async () => {
        await first.visit('Friends');
        const field = first.page.getByRole('textbox', { name: 'Nametag' });
        await field.waitFor();
        await first.replaceSession(stack, bob);
        await first.enter(field, stranger.nametag);
      },
    ],
    [
      'signs out',
      async () => {
        const button = first.page.getByRole('button', { name: 'Sign out' });
        await button.waitFor();
        await first.replaceSession(stack, bob);
        await first.press(button);
      },
    ],
  ])(
    'if the first person’s window %s after the second person has signed in, it reloads and changes none of the second person’s data',
    async (_, act) => {
      await first.signIn(stack, ada);
      await waitForUser(first.page, ada);
      const before = await everythingOf(bob);
      await act();
      await waitForUser(first.page, bob);
      expect(await everythingOf(bob)).toEqual(before);
    },
  );

  it('if the browser restores the first person’s page from its cache, the page is reloaded for the second person', async () => {
    await first.signIn(stack, ada);
    await first.visit('Friends');
    await first.page.getByRole('link', { name: grace.nametag }).waitFor();
    await first.replaceSession(stack, bob);
    // The event that the browser sends when it restores a page instead of loading it.
    const restored = `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`;
    await first.page.evaluate(restored);
    await first.page.getByText('No friends yet').waitFor();
    await waitForUser(first.page, bob);
    // The page was reloaded in place; a window whose session is refused would start at the inbox.
    expect(new URL(first.page.url()).pathname).toBe('/friends');
  });

  it('a person who signs in after another has signed out in the same window sees none of the other’s data', async () => {
    await first.signIn(stack, ada);
    await first.visit('Conversations');
    await first.press(first.page.getByRole('link', { name: /^main/ }));
    await first.page.getByText(adasText).first().waitFor();
    await first.press(first.page.getByRole('button', { name: 'Sign out' }));
    await first.page.waitForURL('**/sign-in');
    await firstReceived.clear();
    await first.signIn(stack, bob);
    await waitForUser(first.page, bob);
    await first.visit('Conversations');
    await first.page.getByText('You have no agents yet').waitFor();
    await first.visit('Friends');
    await first.page.getByText('No friends yet').waitFor();
    expect(await tracesOfAda(firstReceived)).toEqual([]);
  });

  it('going back in the window’s history shows none of the first person’s data', async () => {
    const visited: string[] = [];
    for (;;) {
      await first.page.goBack();
      // Stop at the page that the window showed before its first navigation.
      if (!first.page.url().startsWith(first.url)) break;
      visited.push(new URL(first.page.url()).pathname);
      // Waits until the page is complete; a sign-in page may come in between.
      const signIn = first.page.getByRole('heading', { name: /sign in/i });
      await first.page.locator('.me-name', { hasText: bob.nametag }).or(signIn).first().waitFor();
      // Grace's nametag may appear, because the browser keeps the address of her page in its history.
      expect(await firstReceived.find([adasText, adasNote, ada.nametag])).toEqual([]);
    }
    expect(visited).toEqual(expect.arrayContaining(['/agents', '/friends', '/sign-in']));
    expect(first.problems).toEqual([]);
  });
});
