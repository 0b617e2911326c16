import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Person } from '../people/people';
import type { Stack } from '../stack/stack';

export interface WindowOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

/** More than the number of focusable elements on any page that the tests visit. */
const maxTabs = 150;

/** A person's console window, whose methods use only the keyboard. Records what must not happen in it. */
export class ConsoleWindow {
  /** Violations of the security policy, script errors, and dialogs opened by scripts. */
  readonly problems: string[] = [];
  /** Requests to anything but the gateway. */
  readonly foreignRequests: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    readonly url: string,
  ) {}

  /** Opens a window and signs in with a code, as the link that `daycare console` prints does. */
  static async open(
    browser: Browser,
    stack: Stack,
    person: Person,
    { colorScheme = 'light', width = 1_280 }: WindowOptions = {},
  ): Promise<ConsoleWindow> {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const url = `http://${stack.addressOf('gateway')}`;
    const consoleWindow = new ConsoleWindow(page, context, url);
    consoleWindow.#observe();
    await consoleWindow.signIn(stack, person);
    return consoleWindow;
  }

  /** Signs a person in, in this or another window of the browser; all of its windows share the session. */
  async signIn(stack: Stack, person: Person, page: Page = this.page): Promise<void> {
    await page.goto(`${this.url}/sign-in?code=${await newCode(stack, person)}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  }

  /** Replaces the browser's session, without loading a page: open windows still show the previous person. */
  async replaceSession(stack: Stack, person: Person): Promise<void> {
    const response = await this.context.request.post(`${this.url}/sign-in`, {
      form: { code: await newCode(stack, person) },
      headers: { origin: this.url },
      maxRedirects: 0,
    });
    if (response.status() !== 303) throw new Error(await response.text());
  }

  #observe(): void {
    this.page.on('console', (message) => {
      if (
        message.text().includes('Content Security Policy') ||
        message.text().includes('TrustedHTML')
      )
        this.problems.push(message.text());
    });
    this.page.on('pageerror', (error) => this.problems.push(error.message));
    this.page.on('dialog', (dialog) => {
      this.problems.push(`a script opened a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    this.context.on('request', (request) => {
      if (!request.url().startsWith(`${this.url}/`)) this.foreignRequests.push(request.url());
    });
  }

  /** Moves the focus to an element with the Tab key. */
  async focus(target: Locator): Promise<void> {
    await target.first().waitFor();
    for (let tabs = 0; tabs < maxTabs; tabs += 1) {
      const isFocused = await target
        .first()
        .evaluate((element) => element === element.ownerDocument.activeElement);
      if (isFocused) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`The Tab key does not reach ${target.toString()}`);
  }

  /** Follows a link or presses a button with the Enter key. */
  async press(target: Locator): Promise<void> {
    await this.focus(target);
    await this.page.keyboard.press('Enter');
  }

  /** Types into a field, and submits it with the Enter key. */
  async enter(field: Locator, text: string): Promise<void> {
    await this.focus(field);
    await this.page.keyboard.insertText(text);
    await this.page.keyboard.press('Enter');
  }

  /** Opens a page through the navigation. */
  async visit(name: string): Promise<void> {
    await this.press(this.page.getByRole('navigation').getByRole('link', { name }));
    await this.page.getByRole('heading', { level: 1, name }).waitFor();
  }

  /** Starts a conversation with a message; resolves to the agent's id once the agent has answered. */
  async beginConversation(text: string): Promise<string> {
    const { page } = this;
    await this.visit('Conversations');
    await this.press(page.getByRole('link', { name: /New conversation|Start a conversation/ }));
    await this.enter(page.getByRole('textbox', { name: 'Message' }), text);
    await page.getByRole('article', { name: 'Agent' }).first().waitFor();
    return new URL(page.url()).pathname.split('/').at(-1) ?? '';
  }

  /** Sends a message in the open conversation. */
  async say(text: string): Promise<void> {
    await this.enter(this.page.getByRole('textbox', { name: 'Message' }), text);
  }

  /**
   * Opens another window in the same browser; its windows share one session and one pool of connections to the gateway.
   */
  async openAnother(path: string): Promise<Page> {
    const page = await this.context.newPage();
    page.on('pageerror', (error) => this.problems.push(error.message));
    await page.goto(`${this.url}${path}`);
    return page;
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

async function newCode(stack: Stack, { id: userId }: Person): Promise<string> {
  const options = { metadata: stack.adminMetadata };
  return (await stack.identity.createSignInCode({ userId }, options)).code;
}
