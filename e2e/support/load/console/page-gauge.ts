import type { CDPSession, Page } from 'playwright-core';
import type { MemoryReading } from '../contexts/replica-memory';

/** The memory of a page after garbage collection. */
export interface PageReading extends MemoryReading {
  /** Elements and text nodes, including those that only scripts still refer to. */
  readonly nodes: number;
  readonly listeners: number;
}

/** The time from an input until its effect was on the screen. */
export interface TimedInput {
  readonly ms: number;
  /** From the input until the page was free to handle it. */
  readonly waitedMs: number;
  /** From then until the handlers had run and the next frame began. */
  readonly handledMs: number;
  /** From then until that frame was laid out and painted. */
  readonly paintedMs: number;
}

/**
 * Runs in the page and records how long each input took to have an effect on the screen. The time starts when the
 * browser receives the input, so waiting for a busy page counts.
 */
const timing = `(() => {
  const taken = (window.__taken = []);
  const note = ({ timeStamp }) => {
    const begun = performance.now();
    requestAnimationFrame(() => {
      const handled = performance.now();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const shown = performance.now();
        taken.push({ ms: shown - timeStamp, waitedMs: begun - timeStamp, handledMs: handled - begun, paintedMs: shown - handled });
      };
      port2.postMessage(0);
    });
  };
  for (const type of ['click', 'keydown', 'wheel'])
    addEventListener(type, note, { capture: true, passive: true });
})()`;

const toMebibytes = (bytes: number): number => Math.round((bytes / 1_048_576) * 10) / 10;

/** Measures the response times and the memory of a page from inside the browser. */
export class PageGauge {
  private constructor(
    readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  static async open(page: Page): Promise<PageGauge> {
    await page.addInitScript(timing);
    await page.evaluate(timing);
    const session = await page.context().newCDPSession(page);
    // Counts the time during which the page computes, regardless of other load on the machine.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new PageGauge(page, session);
  }

  /** Returns how long each input since the previous call of this method took, in order. */
  async takeInputs(): Promise<readonly TimedInput[]> {
    const settled = `new Promise((resolve) => setTimeout(() => requestIdleCallback(() => resolve(window.__taken.splice(0)), { timeout: 1000 }), 60))`;
    return this.page.evaluate<TimedInput[]>(settled);
  }

  /**
   * Resolves to the milliseconds from the next click until a page with this heading shows all its content. Call it
   * before the click. It checks only when the page changes, because a check in every frame would make the page draw and
   * would count as the page's work.
   */
  whenShown(heading: string): Promise<number> {
    const text = JSON.stringify(heading);
    return this.page.evaluate<number>(`new Promise((resolve) => {
      let clickedMs;
      addEventListener('click', ({ timeStamp }) => (clickedMs = timeStamp), { capture: true, once: true });
      const observer = new MutationObserver(() => {
        const isThere = document.querySelector('main h1')?.textContent.includes(${text});
        const isComplete = isThere && !document.querySelector('main .skeleton');
        if (clickedMs === undefined || !isComplete) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - clickedMs));
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    })`);
  }

  /** Reads the page's computing time so far, in milliseconds. */
  async readComputingMs(): Promise<number> {
    return (await this.#readMetrics())('TaskDuration') * 1_000;
  }

  async #readMetrics(): Promise<(name: string) => number> {
    const { metrics } = await this.session.send('Performance.getMetrics');
    return (wanted) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  }

  async readMemory(): Promise<PageReading> {
    await this.session.send('HeapProfiler.collectGarbage');
    const valueOf = await this.#readMetrics();
    return {
      heap: toMebibytes(valueOf('JSHeapUsedSize')),
      buffers: 0,
      resident: toMebibytes(valueOf('JSHeapTotalSize')),
      nodes: valueOf('Nodes'),
      listeners: valueOf('JSEventListeners'),
    };
  }
}
