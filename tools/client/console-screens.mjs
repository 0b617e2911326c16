/**
 * Takes pictures of pages of the console, light and dark, wide and narrow, with Debian's chromium.
 * Usage: node tools/client/console-screens.mjs <folder> <sign-in link or address of the gateway> <path>…
 * The session is stored in <folder>/session.json, so a link is needed once. OPERATOR_TOKEN opens the operator's page.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [folder, address, ...paths] = process.argv.slice(2);
if (!folder || !address) throw new Error('usage: console-screens.mjs <folder> <link> <path>…');
mkdirSync(folder, { recursive: true });
const session = join(folder, 'session.json');
const { origin, pathname } = new URL(address);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const views = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 860 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 860 },
  { name: 'narrow', colorScheme: 'light', width: 390, height: 844 },
  { name: 'narrow-dark', colorScheme: 'dark', width: 390, height: 844 },
];
if (pathname === '/sign-in') await signIn();
for (const view of views) await takeAll(view);
await browser.close();

async function signIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation').waitFor({ state: 'attached' });
  await context.storageState({ path: session });
  await context.close();
}

async function takeAll({ name, colorScheme, width, height }) {
  const storageState = existsSync(session) ? session : undefined;
  const viewport = { width, height };
  const context = await browser.newContext({ storageState, viewport, colorScheme });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') console.log(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.log(`${page.url()}: ${error.message}`));
  for (const path of paths.length > 0 ? paths : ['/']) {
    await page.goto(`${origin}${path}`);
    await page.locator('main h1').waitFor();
    if (path === '/operator' && process.env.OPERATOR_TOKEN) await enterOperator(page);
    await page.waitForTimeout(700);
    const file = path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'inbox';
    await page.screenshot({ path: join(folder, `${file}-${name}.png`), fullPage: true });
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    if (isWide) console.log(`${path} (${name}) is wider than the window`);
  }
  await context.storageState({ path: session });
  await context.close();
}

async function enterOperator(page) {
  await page.getByLabel('Operator’s access token').fill(process.env.OPERATOR_TOKEN);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Services' }).waitFor();
}
