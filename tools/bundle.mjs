/**
 * Bundles one app into dist/<app>/bundle.js, and stores V8's code cache next to it, so that a service loads in a fifth
 * of a second. main.js runs the bundle with the cache. Each src/programs/<name> becomes programs/<name>.js, which the
 * app runs as a child process.
 */
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const [app] = process.argv.slice(2);
if (!app) throw new Error('usage: node tools/bundle.mjs <app>');
const root = resolve(import.meta.dirname, '..');
const entry = existsSync(resolve(root, 'apps', app))
  ? resolve(root, 'apps', app)
  : resolve(root, app);

const main = resolve(root, 'dist', app, 'main.js');
const outfile = resolve(root, 'dist', app, 'bundle.js');
const unfinishedBundle = resolve(root, 'dist', app, '.half', 'bundle.js');
const { version } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
const options = {
  bundle: true,
  define: { __DAYCARE_VERSION__: JSON.stringify(process.env.DAYCARE_BUILD_VERSION ?? version) },
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  loader: { '.md': 'text' },
  // Code from V8's cache cannot use import(), but it can use require().
  supported: { 'dynamic-import': false },
  legalComments: 'none',
  logLevel: 'warning',
  external: [
    // Optional packages that the MongoDB driver uses if they are installed.
    '@mongodb-js/zstd',
    'aws4',
    'gcp-metadata',
    'kerberos',
    'mongodb-client-encryption',
    'snappy',
    'socks',
    '@aws-sdk/credential-providers',
    // Has native parts, so the Dockerfile copies the installed package into the image.
    'sharp',
    // Used only by stories and measurements; reads files next to its own code.
    'playwright-core',
  ],
};
await build({
  ...options,
  entryPoints: [resolve(entry, 'src/main.ts')],
  // Moved once it is complete, so that no half-written bundle is ever started.
  outfile: unfinishedBundle,
  sourcemap: 'linked',
  // The CLI is made smaller because a person waits for it to start, and reading the bundle takes half of that time.
  // Names are kept for stack traces.
  minifyWhitespace: app === 'cli',
});
escapeNonAscii(unfinishedBundle);
const programs = resolve(root, 'dist', app, 'programs');
mkdirSync(programs, { recursive: true });
for (const name of listPrograms(resolve(entry, 'src/programs'))) {
  const outfile = resolve(root, 'dist', app, '.half', `${name}.js`);
  await build({
    ...options,
    entryPoints: [resolve(entry, 'src/programs', name, 'main.ts')],
    outfile,
  });
  renameSync(outfile, resolve(programs, `${name}.js`));
}
copyAssets();
renameSync(`${unfinishedBundle}.map`, `${outfile}.map`);
renameSync(unfinishedBundle, outfile);
copyFileSync(resolve(root, 'tools/start-bundle.cjs'), `${unfinishedBundle}.main`);
renameSync(`${unfinishedBundle}.main`, main);

if (entry.startsWith(resolve(root, 'apps'))) await writeCodeCache();

if (app === 'cli') await import('./cli/pack-bundle.mjs');

/**
 * Escapes the non-ASCII characters that esbuild does not escape, in comments and in regular expressions. A pure ASCII
 * file loads faster (see start-bundle.cjs).
 */
function escapeNonAscii(file) {
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[\u0080-\uffff]/g, escape));
}

/**
 * Copies the files that the gateway serves as the console. For the other apps the folder is created empty, because the
 * Dockerfile copies it into every image.
 */
function copyAssets() {
  const assets = resolve(root, 'dist', app, 'console');
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  if (app === 'gateway') cpSync(resolve(root, 'dist/console'), assets, { recursive: true });
}

function listPrograms(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/**
 * Runs the app once, so that the cache contains what the app compiles. V8 accepts a cache only if it was made with the
 * same options, so the app runs with those that libs/local-stack and the Dockerfile pass to it.
 */
async function writeCodeCache() {
  const cache = resolve(root, 'dist', app, 'bundle.cache');
  rmSync(cache, { force: true });
  // This file marks a cache that warm-code-caches.ts in libs/testing has replaced.
  rmSync(resolve(root, 'dist', app, 'bundle.rehearsed'), { force: true });
  const stderr = await (app === 'cli' ? runCommand() : runService());
  if (!existsSync(cache)) throw new Error(`${app} did not write a code cache: ${stderr}`);
}

/** Runs a service without configuration, so that it exits as soon as everything is loaded. */
function runService() {
  return runOnce(['--min-semi-space-size=16', '--max-semi-space-size=32', main]);
}

/** Runs a command that makes a call and prints a list, as most commands do. */
async function runCommand() {
  const { startEmptyServer } = await import('./cli/empty-server.mjs');
  const { config, stop } = await startEmptyServer();
  try {
    return await runOnce([main, 'friend', 'list'], { DAYCARE_CONFIG: config });
  } finally {
    stop();
  }
}

/** Runs a program that writes the code cache when it exits; returns what it wrote to standard error. */
async function runOnce(command, moreEnv = {}) {
  const env = { DAYCARE_BUILD_CODE_CACHE: '1', ...moreEnv };
  const child = spawn(process.execPath, command, { env, timeout: 60_000 });
  child.stdout.resume();
  return text(child.stderr);
}
