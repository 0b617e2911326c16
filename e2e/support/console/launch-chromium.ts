import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) =>
  existsSync(path),
);

export const hasChromium = executablePath !== undefined;

/** Debian's chromium, headless. */
export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no chromium on this machine');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
