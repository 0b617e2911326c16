import type { Page } from 'playwright-core';

/** What a window has shown, received from other windows, or found in the browser's storage. */
export interface ReceivedData {
  /** Returns those of the strings that the page has shown, other windows have sent to it, or the browser has stored. */
  find(strings: readonly string[]): Promise<readonly string[]>;
  /** Discards what was received so far; browser storage is always searched. */
  clear(): Promise<void>;
}

/**
 * Runs in the page: records everything that is shown, however briefly, and every message from other windows.
 */
const recorder = `(() => {
  const record = (text) => void window.recordReceived(text);
  const Channel = BroadcastChannel;
  window.BroadcastChannel = class extends Channel {
    constructor(name) {
      super(name);
      super.addEventListener('message', ({ data }) => record(JSON.stringify([name, data])));
    }
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      record([target.nodeType === 3 ? target.data : '', ...[...addedNodes].map((node) => node.textContent)].join(' '));
  }).observe(document, { childList: true, characterData: true, subtree: true });
})()`;

/** Records what a window receives, starting with the next page that it loads. */
export async function recordReceived(page: Page): Promise<ReceivedData> {
  let recorded = '';
  await page.exposeFunction('recordReceived', (text: string) => void (recorded += `${text}\n`));
  await page.addInitScript(recorder);
  const readStored = (): Promise<string> =>
    page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.title])');
  return {
    find: async (strings) => {
      const everything = `${recorded}\n${await readStored()}\n${await page.content()}`;
      return strings.filter((text) => everything.includes(text));
    },
    clear: async () => {
      // Ensures that everything recorded before has arrived, because calls arrive in order.
      await page.evaluate('window.recordReceived("")');
      recorded = '';
    },
  };
}
