import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { hasChromium, launchChromium } from './launch-chromium';

/** Describes stories in a browser. They are skipped, with a note in the title, if chromium is not installed. */
export function describeInBrowser(title: string, stories: () => void): void {
  if (hasChromium) describe(title, stories);
  else describe.skip(`${title} (skipped: no chromium on this machine)`, stories);
}

/** Provides a browser for the stories in a file. */
export function useBrowser(): { readonly current: Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  return {
    get current() {
      return browser!;
    },
  };
}
