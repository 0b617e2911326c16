import type { ConsoleWindow } from '../../console/console-window';
import type { PageGauge } from './page-gauge';

/** What was measured of each kind of interaction, in milliseconds. */
export type Measured = Map<string, number[]>;

/** Pages that the navigation leads to. */
const pages = [
  ...['Inbox', 'Conversations', 'Map', 'Friends', 'Subusers', 'Automation', 'Usage', 'Settings'],
];
const wheels = 12;

/** One person at a page that is busy: does everything once, and notes how long each answer took. */
export class Interactions {
  readonly measured: Measured = new Map();

  constructor(
    private readonly opened: ConsoleWindow,
    private readonly gauge: PageGauge,
    private readonly conversation: string,
  ) {}

  async round(number: number): Promise<void> {
    await this.openConversation();
    await this.#type(`A thought ${number}`);
    await this.#scroll();
    for (const name of pages) await this.#switchTo(name);
  }

  /** The conversation, as a link leads there. */
  async openConversation(): Promise<void> {
    const { page } = this.opened;
    const shown = this.gauge.whenShown('desk');
    await page.evaluate(`(() => {
      document.getElementById('measured')?.remove();
      const link = document.createElement('a');
      link.href = ${JSON.stringify(this.conversation)};
      link.textContent = 'open';
      link.id = 'measured';
      document.body.prepend(link);
    })()`);
    await page.locator('#measured').click();
    this.#note('conversation, with all of its content', [await shown]);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.locator('.virtual-row').first().waitFor();
    this.#note('open the conversation', await this.gauge.takeInputs());
  }

  async #type(text: string): Promise<void> {
    const { page } = this.opened;
    await page.getByRole('textbox', { name: 'Message' }).click();
    await this.gauge.takeInputs();
    await page.keyboard.type(text, { delay: 40 });
    this.#note('type a letter', await this.gauge.takeInputs());
    await page.keyboard.press('Enter');
    this.#note('send', await this.gauge.takeInputs());
  }

  async #scroll(): Promise<void> {
    const { page } = this.opened;
    const box = await page.locator('.virtual').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
    for (let turn = 0; turn < wheels; turn += 1) await page.mouse.wheel(0, -500);
    this.#note('scroll', await this.gauge.takeInputs());
    await page.getByRole('button', { name: 'To the newest' }).click();
    this.#note('return to the newest', await this.gauge.takeInputs());
  }

  async #switchTo(name: string): Promise<void> {
    const { page } = this.opened;
    const shown = this.gauge.whenShown(name);
    await page.getByRole('navigation').getByRole('link', { name }).click();
    this.#note('a page, with all of its content', [await shown]);
    this.#note('switch the page', await this.gauge.takeInputs());
  }

  /** Reads the whole history, and returns to its end. */
  async readAll(): Promise<void> {
    const { page } = this.opened;
    await page.getByRole('button', { name: 'To the beginning' }).click();
    await page.locator('[data-key="1"]').waitFor({ timeout: 120_000 });
    await this.gauge.takeInputs();
    await this.#scroll();
  }

  #note(what: string, taken: readonly number[]): void {
    const known = this.measured.get(what) ?? [];
    this.measured.set(what, known);
    known.push(...taken);
  }
}
