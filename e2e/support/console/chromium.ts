import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) =>
  existsSync(path),
);

/** Stories in a browser; skipped, and said so, where there is no chromium. */
export function describeInBrowser(title: string, stories: () => void): void {
  if (executablePath) describe(title, stories);
  else describe.skip(`${title} (skipped: no chromium on this machine)`, stories);
}

/** A browser for the stories of a file. */
export function useBrowser(): { readonly current: Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return {
    get current() {
      return browser!;
    },
  };
}
