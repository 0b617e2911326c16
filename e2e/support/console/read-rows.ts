import type { Page } from 'playwright-core';

/**
 * Returns the sequence numbers of all rows in the conversation, from beginning to end. Only visible rows are in the
 * document, so this scrolls through the conversation; a row that appears at two positions is returned twice.
 */
export function readRows(page: Page): Promise<readonly number[]> {
  return page.evaluate(`(async () => {
    const pane = document.querySelector('.virtual');
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const rows = [];
    const take = () => {
      const shown = [...pane.querySelectorAll('[data-key]')].map((row) => Number(row.dataset.key));
      const lastIndex = rows.length === 0 ? -1 : shown.indexOf(rows.at(-1));
      rows.push(...shown.slice(lastIndex + 1));
    };
    pane.scrollTop = 0;
    await frame();
    await frame();
    for (;;) {
      take();
      const before = pane.scrollTop;
      pane.scrollTop += pane.clientHeight / 2;
      await frame();
      if (pane.scrollTop === before) break;
    }
    take();
    return rows;
  })()`);
}
