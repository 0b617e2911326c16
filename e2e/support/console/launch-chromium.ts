import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const fullBrowsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
/** The headless shell runs the same pages with the same engine, and uses a third less CPU time. */
const browsers = ['/usr/bin/chromium-headless-shell', ...fullBrowsers];

const findInstalled = (paths: readonly string[]): string | undefined =>
  paths.find((path) => existsSync(path));

export const hasChromium = findInstalled(browsers) !== undefined;

/** Launches Debian's chromium, headless: its headless shell if possible, unless the full browser is required. */
export function launchChromium({ isFull = false } = {}): Promise<Browser> {
  const executablePath = findInstalled(isFull ? fullBrowsers : browsers);
  if (executablePath === undefined) throw new Error('no chromium on this machine');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
