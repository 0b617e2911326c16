import type { Locator } from 'playwright-core';
import type { ConsoleWindow } from '../../console/console-window';
import type { PageGauge, TimedInput } from './page-gauge';
import { traceWork } from './traced-work';

/**
 * The time until the effect of an input was on the screen, and the page's computing time, which includes work for
 * messages that arrived.
 */
interface Measurement {
  readonly ms: number;
  /** What `ms` consists of; undefined for an interaction that waits for the services. */
  readonly input: TimedInput | undefined;
  /** Undefined for an interaction that waits for the services. */
  readonly computedMs: number | undefined;
}

/** The measurements by kind of interaction. */
export type Measurements = Map<string, Measurement[]>;
/** The page's CPU time for each input, in milliseconds, by kind of interaction. */
export type CpuTimes = Map<string, number[]>;

/** The pages in the navigation. */
const pages = [
  ...['Inbox', 'Conversations', 'Map', 'Friends', 'Subusers', 'Automation', 'Usage', 'Settings'],
];
const wheelTurns = 12;

/**
 * Simulates a person at a busy page, who does everything once per round. Records the response times or, in traced
 * rounds, the page's CPU time. Tracing itself takes time, so response times are measured without it.
 */
export class Interactions {
  readonly measurements: Measurements = new Map();
  readonly cpuTimes: CpuTimes = new Map();
  #isTraced = false;

  constructor(
    private readonly consoleWindow: ConsoleWindow,
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

  /** Opens the conversation through a link. */
  async openConversation(): Promise<void> {
    const { page } = this.consoleWindow;
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
    const { page } = this.consoleWindow;
    await page.getByRole('textbox', { name: 'Message' }).click();
    await this.#measure('type a letter', () => page.keyboard.type(text, { delay: 40 }));
    await this.#measure('send', () => page.keyboard.press('Enter'));
  }

  async #scroll(): Promise<void> {
    const { page } = this.consoleWindow;
    const box = await page.locator('.virtual').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
    await this.#measure('scroll', async () => {
      for (let turn = 0; turn < wheelTurns; turn += 1) await page.mouse.wheel(0, -500);
    });
    const click = await this.#aim(page.getByRole('button', { name: 'Jump to latest' }));
    await this.#measure('jump to the latest', click);
  }

  async #switchTo(name: string): Promise<void> {
    const link = this.consoleWindow.page.getByRole('navigation').getByRole('link', { name });
    const click = await this.#aim(link);
    const shown = this.gauge.whenShown(name);
    await this.#measure(`switch to ${name}`, async () => {
      await click();
      this.#note('a page, until its content is there', await shown);
    });
  }

  /** Finds the target before the measurement, because this runs scripts that must not count as the page's work. */
  async #aim(target: Locator): Promise<() => Promise<void>> {
    const box = await target.boundingBox();
    if (!box) throw new Error(`${target.toString()} is not on the page`);
    const { mouse } = this.consoleWindow.page;
    return () => mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }

  /** Loads the whole history by going to its beginning, then returns to its end. */
  async readAll(): Promise<void> {
    const { page } = this.consoleWindow;
    await page.getByRole('button', { name: 'To the beginning' }).click();
    await page.locator('[data-key="1"]').waitFor({ timeout: 120_000 });
    await this.#scroll();
  }

  async #measure(what: string, act: () => Promise<void>): Promise<void> {
    if (this.#isTraced) await this.#traceWork(what, act);
    else await this.#timeInputs(what, act);
  }

  /** Records how long each input took to have an effect, and an upper bound on the page's computing time for it. */
  async #timeInputs(what: string, act: () => Promise<void>): Promise<void> {
    await this.gauge.takeInputs();
    const before = await this.gauge.readComputingMs();
    await act();
    const inputs = await this.gauge.takeInputs();
    const computedMs = (await this.gauge.readComputingMs()) - before;
    for (const input of inputs) this.#note(what, input.ms, input, computedMs / inputs.length);
  }

  async #traceWork(what: string, act: () => Promise<void>): Promise<void> {
    const cpuTimes = await traceWork(this.consoleWindow.page, async () => {
      await act();
      await this.gauge.takeInputs();
    });
    this.cpuTimes.set(what, [...(this.cpuTimes.get(what) ?? []), ...cpuTimes]);
  }

  #note(what: string, ms: number, input?: TimedInput, computedMs?: number): void {
    if (this.#isTraced) return;
    const entries = this.measurements.get(what) ?? [];
    this.measurements.set(what, entries);
    entries.push({ ms, input, computedMs });
  }
}
