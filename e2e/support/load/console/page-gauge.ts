import type { CDPSession, Page } from 'playwright-core';
import type { MemoryReading } from '../contexts/replica-memory';

/** The memory of a page after garbage collection. */
export interface PageReading extends MemoryReading {
  /** Elements and text nodes, including those that only scripts hold. */
  readonly nodes: number;
  readonly listeners: number;
}

/** The time from an input until its effect was on the screen. */
export interface TakenInput {
  readonly ms: number;
  /** Until the page was free to handle it. */
  readonly waitedMs: number;
  /** Until its handlers had run, and the next frame began. */
  readonly handledMs: number;
  /** Until that frame was laid out and painted. */
  readonly paintedMs: number;
}

/**
 * Runs in the page: records how long each input took to show on the screen. The time starts when the browser received
 * the input, so that waiting for a busy page counts.
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

/** Measures a page from inside: its response times and its memory. */
export class PageGauge {
  private constructor(
    readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  static async open(page: Page): Promise<PageGauge> {
    await page.addInitScript(timing);
    await page.evaluate(timing);
    const session = await page.context().newCDPSession(page);
    // Counts the time in which the page computes, independent of other load on the machine.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new PageGauge(page, session);
  }

  /** How long the inputs since the last call took, in order. */
  async takeInputs(): Promise<readonly TakenInput[]> {
    const settled = `new Promise((resolve) => setTimeout(() => requestIdleCallback(() => resolve(window.__taken.splice(0)), { timeout: 1000 }), 60))`;
    return this.page.evaluate<TakenInput[]>(settled);
  }

  /**
   * The milliseconds from an input until a page with this heading has all its content. Call it before the input. The
   * check runs after changes of the page: a check in every frame would make the page draw and count as its work.
   */
  whenShown(heading: string): Promise<number> {
    const text = JSON.stringify(heading);
    return this.page.evaluate<number>(`new Promise((resolve) => {
      let from;
      addEventListener('click', ({ timeStamp }) => (from = timeStamp), { capture: true, once: true });
      const observer = new MutationObserver(() => {
        const isThere = document.querySelector('main h1')?.textContent.includes(${text});
        const isWhole = isThere && !document.querySelector('main .skeleton');
        if (from === undefined || !isWhole) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - from));
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    })`);
  }

  /** The computing time of the page so far, in milliseconds. */
  async readComputed(): Promise<number> {
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
