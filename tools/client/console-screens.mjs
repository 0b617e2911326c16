/**
 * Takes screenshots of the console's pages, light and dark, wide and narrow, with Debian's chromium.
 * Usage: node tools/client/console-screens.mjs <folder> <sign-in link or address of the gateway> <path>[=<name>]…
 * e2e/screens/src/main.ts starts the example that docs/console.md shows, and prints the whole command.
 * The session is stored in <folder>/session.json, so a link is needed only once. OPERATOR_TOKEN opens the
 * operator's page.
 * Small pictures for docs/console/, each with a page in both widths, are stored in <folder>/docs.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

const [folder, address, ...wanted] = process.argv.slice(2);
if (!folder || !address)
  throw new Error('usage: console-screens.mjs <folder> <link> <path>[=<name>]…');
mkdirSync(join(folder, 'docs'), { recursive: true });
const session = join(folder, 'session.json');
const { origin, pathname } = new URL(address);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const wide = { width: 1280, height: 860 };
const narrow = { width: 390, height: 860 };
const views = [
  { name: 'light', colorScheme: 'light', viewport: wide },
  { name: 'dark', colorScheme: 'dark', viewport: wide },
  { name: 'narrow-light', colorScheme: 'light', viewport: narrow },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: narrow },
];
const pages = (wanted.length > 0 ? wanted : ['/']).map((page) => {
  const [path, name = path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '')] = page.split('=');
  return { path, name: name || 'inbox' };
});
if (pathname === '/sign-in') await signIn();
for (const view of views) await takeAll(view);
await browser.close();
for (const { name } of pages) {
  await compose(name, 'light', join(folder, 'docs', `${name}.png`));
  await compose(name, 'dark', join(folder, 'docs', `${name}-dark.png`));
}

async function signIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation').waitFor({ state: 'attached' });
  await context.storageState({ path: session });
  await context.close();
}

async function takeAll({ name: view, colorScheme, viewport }) {
  const storageState = existsSync(session) ? session : undefined;
  const context = await browser.newContext({ storageState, viewport, colorScheme });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    console.log(`${page.url()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => console.log(`${page.url()}: ${error.message}`));
  for (const { path, name } of pages) {
    await page.goto(`${origin}${path}`);
    await page.locator('main h1').waitFor();
    if (path === '/operator' && process.env.OPERATOR_TOKEN) await enterOperator(page);
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(folder, `${name}-${view}.png`), fullPage: true });
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    if (isTooWide) console.log(`${path} (${view}) is wider than the window`);
  }
  await context.storageState({ path: session });
  await context.close();
}

async function enterOperator(page) {
  await page.getByLabel('Operator’s access token').fill(process.env.OPERATOR_TOKEN);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Services' }).waitFor();
}

/** Writes a picture of the upper part of a page in both widths, side by side, scaled down and with few colours. */
async function compose(name, scheme, file) {
  const gap = 40;
  const { height } = wide;
  const crop = ({ width }, view) => {
    const whole = sharp(join(folder, `${name}-${view}.png`));
    return whole.extract({ left: 0, top: 0, width, height }).toBuffer();
  };
  const size = { width: wide.width + gap + narrow.width, height };
  const background = scheme === 'dark' ? '#000' : '#d9d7d0';
  const both = await sharp({ create: { ...size, channels: 3, background } })
    .composite([
      { input: await crop(wide, scheme), left: 0, top: 0 },
      { input: await crop(narrow, `narrow-${scheme}`), left: wide.width + gap, top: 0 },
    ])
    .png()
    .toBuffer();
  await sharp(both).resize(1080).png({ palette: true, colours: 64, effort: 10 }).toFile(file);
}
