import type { Locator } from 'playwright-core';
import type { ConsoleWindow } from '../../console/console-window';
import type { PageGauge, TakenInput } from './page-gauge';
import { traceWork } from './traced-work';

/** One input: until its effect was on the screen, and what the page computed meanwhile, storm included. */
interface Answer {
  readonly ms: number;
  /** What it consists of; undefined for what waits for the services. */
  readonly input: TakenInput | undefined;
  /** Undefined for what waits for the services. */
  readonly computedMs: number | undefined;
}

/** What was measured, by the kind of interaction. */
export type Measured = Map<string, Answer[]>;
/** The CPU milliseconds that the page worked for each input, by the kind of interaction. */
export type Worked = Map<string, number[]>;

/** Pages that the navigation leads to. */
const pages = [
  ...['Inbox', 'Conversations', 'Map', 'Friends', 'Subusers', 'Automation', 'Usage', 'Settings'],
];
const wheels = 12;

/**
 * One person at a page that is busy: does everything once, and notes how long each answer took or, in rounds that are traced,
 * how much the page worked for it. Tracing takes time of its own, so that answers are measured without it.
 */
export class Interactions {
  readonly measured: Measured = new Map();
  readonly worked: Worked = new Map();
  #isTraced = false;

  constructor(
    private readonly opened: ConsoleWindow,
    private readonly gauge: PageGauge,
    private readonly conversation: string,
  ) {}

  async round(number: number, isTraced: boolean): Promise<void> {
    this.#isTraced = isTraced;
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
    const click = await this.#aim(page.locator('#measured'));
    await this.#measure('open the conversation', async () => {
      await click();
      this.#note('the conversation, until its content is there', await shown);
    });
    await page.locator('.virtual-row').first().waitFor();
  }

  async #type(text: string): Promise<void> {
    const { page } = this.opened;
    await page.getByRole('textbox', { name: 'Message' }).click();
    await this.#measure('type a letter', () => page.keyboard.type(text, { delay: 40 }));
    await this.#measure('send', () => page.keyboard.press('Enter'));
  }

  async #scroll(): Promise<void> {
    const { page } = this.opened;
    const box = await page.locator('.virtual').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
    await this.#measure('scroll', async () => {
      for (let turn = 0; turn < wheels; turn += 1) await page.mouse.wheel(0, -500);
    });
    const click = await this.#aim(page.getByRole('button', { name: 'To the newest' }));
    await this.#measure('return to the newest', click);
  }

  async #switchTo(name: string): Promise<void> {
    const link = this.opened.page.getByRole('navigation').getByRole('link', { name });
    const click = await this.#aim(link);
    const shown = this.gauge.whenShown(name);
    await this.#measure(`switch to ${name}`, async () => {
      await click();
      this.#note('a page, until its content is there', await shown);
    });
  }

  /** Finds where to click beforehand: finding it is done by scripts in the page, which would count as its own. */
  async #aim(target: Locator): Promise<() => Promise<void>> {
    const box = await target.boundingBox();
    if (!box) throw new Error(`${target.toString()} is not on the page`);
    const { mouse } = this.opened.page;
    return () => mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }

  /** Reads the whole history, and returns to its end. */
  async readAll(): Promise<void> {
    const { page } = this.opened;
    await page.getByRole('button', { name: 'To the beginning' }).click();
    await page.locator('[data-key="1"]').waitFor({ timeout: 120_000 });
    await this.#scroll();
  }

  async #measure(what: string, act: () => Promise<void>): Promise<void> {
    if (this.#isTraced) await this.#traceWork(what, act);
    else await this.#timeAnswers(what, act);
  }

  /** Notes how long each input took to show, and how much of that the page computed, at the most. */
  async #timeAnswers(what: string, act: () => Promise<void>): Promise<void> {
    await this.gauge.takeInputs();
    const before = await this.gauge.readComputed();
    await act();
    const taken = await this.gauge.takeInputs();
    const computed = (await this.gauge.readComputed()) - before;
    for (const input of taken) this.#note(what, input.ms, input, computed / taken.length);
  }

  async #traceWork(what: string, act: () => Promise<void>): Promise<void> {
    const worked = await traceWork(this.opened.page, async () => {
      await act();
      await this.gauge.takeInputs();
    });
    this.worked.set(what, [...(this.worked.get(what) ?? []), ...worked]);
  }

  #note(what: string, ms: number, input?: TakenInput, computedMs?: number): void {
    if (this.#isTraced) return;
    const known = this.measured.get(what) ?? [];
    this.measured.set(what, known);
    known.push({ ms, input, computedMs });
  }
}
