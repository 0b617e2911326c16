import type { Page } from 'playwright-core';

/** What a window has received, by whichever way. */
export interface Received {
  /** Those of the texts that the page has shown, other windows have sent it, or the browser remembers. */
  find(texts: readonly string[]): Promise<readonly string[]>;
  /** Forgets what was received so far; what the browser remembers is always searched. */
  clear(): Promise<void>;
}

/**
 * Runs in the page: notes everything that is shown, for however short a time, and what comes over channels from other windows.
 */
const noting = `(() => {
  const note = (text) => void window.noteReceived(text);
  const Channel = BroadcastChannel;
  window.BroadcastChannel = class extends Channel {
    constructor(name) {
      super(name);
      super.addEventListener('message', ({ data }) => note(JSON.stringify([name, data])));
    }
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      note([target.nodeType === 3 ? target.data : '', ...[...addedNodes].map((node) => node.textContent)].join(' '));
  }).observe(document, { childList: true, characterData: true, subtree: true });
})()`;

/** Notes what a window receives from the next page that it loads on. */
export async function noteReceived(page: Page): Promise<Received> {
  let noted = '';
  await page.exposeFunction('noteReceived', (text: string) => void (noted += `${text}\n`));
  await page.addInitScript(noting);
  const readStored = (): Promise<string> =>
    page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.title])');
  return {
    find: async (texts) => {
      const whole = `${noted}\n${await readStored()}\n${await page.content()}`;
      return texts.filter((text) => whole.includes(text));
    },
    clear: async () => {
      // What was noted before arrives in order.
      await page.evaluate('window.noteReceived("")');
      noted = '';
    },
  };
}
