/**
 * Implements the npm scripts. Needs only Node and npm, because it installs the dependencies first if they are missing.
 * Usage: node tools/run.mjs <up|test|bench|soak|build|check|fix> [arguments for the command]
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail, prepare } from './install.mjs';
import { runChild } from './process/run-child.mjs';
import { selectReruns } from './rerun-tests.mjs';
import { readReports, reportsIn, rerunReportsIn, summarise } from './test-summary.mjs';

const root = resolve(import.meta.dirname, '..');
const bin = (name) => join(root, 'node_modules/.bin', name);
const quietNx = {
  NX_DAEMON: 'false',
  NX_TUI: 'false',
  NX_NO_CLOUD: 'true',
  NX_SKIP_LOG_GROUPING: 'true',
};
const apps = 'identity,social-graph,agent-runtime,topology,gateway,cli';
const checks = 'format,lint,typecheck,proto';

const commands = {
  async up(args) {
    await prepare();
    await buildFor('up');
    process.argv = [process.execPath, join(root, 'dist/cli/main.js'), 'up', ...args];
    await import(join(root, 'dist/cli/main.js'));
  },
  async test(args) {
    await prepare();
    rmSync(join(root, 'test-results'), { recursive: true, force: true });
    // One Nx run for everything, so that both cores stay busy. The stories run last and alone; `proto`
    // depends on `lint` only so that Nx starts the slow lint early.
    const all = nx(['run-many', '-t', `${checks},test`, '--nx-bail=false', ...args], {}, false);
    process.exitCode = summarise(root, all || (rerunFailures() && hasEverythingElsePassed(args)));
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
    run(bin('oxfmt'), ['.']);
    run(bin('buf'), ['format', '-w']);
    run(bin('oxlint'), ['--type-aware', '--fix']);
    run(bin('eslint'), ['--fix', 'apps', 'libs', 'e2e', 'bench']);
  },
};

/** Runs the failed spec files once more, alone. Returns false if there were none to run or one failed again. */
function rerunFailures() {
  const reruns = selectReruns(root, readReports(reportsIn(root)));
  mkdirSync(rerunReportsIn(root), { recursive: true });
  const outcomes = reruns.map(({ project, projectRoot, files }) => {
    console.log(`\nRerunning the spec files that failed in ${project}: ${files.join(', ')}`);
    const jest = ['--config', 'jest.config.cjs', '--rootDir', projectRoot, '--runTestsByPath'];
    const report = ['--json', '--outputFile', join(rerunReportsIn(root), `${project}.json`)];
    return run(bin('jest'), [...jest, ...files, ...report], { exitOnFailure: false });
  });
  return outcomes.length > 0 && outcomes.every(Boolean);
}

/**
 * Reports whether all checks passed (Nx has the results in its cache) and every project with tests has written a
 * report.
 */
function hasEverythingElsePassed(args) {
  const plan = ['run-many', '-t', 'test', '--graph=stdout', ...args];
  const env = { ...process.env, ...quietNx };
  const options = { cwd: root, env, encoding: 'utf8', maxBuffer: 64 << 20 };
  const { stdout } = spawnSync(bin('nx'), plan, options);
  const reported = readReports(reportsIn(root));
  const tasks = Object.values(JSON.parse(stdout).tasks.tasks);
  const isMissing = ({ target }) => target.target === 'test' && !reported.has(target.project);
  return !tasks.some(isMissing) && nx(['run-many', '-t', checks, ...args], { quiet: true }, false);
}

/** Builds what a command runs. A signal that arrives during the build also ends the build. */
async function buildFor(command) {
  try {
    accessSync(root, constants.W_OK);
  } catch {
    fail(
      `Cannot run "${command}": you may not write to ${root}. Clone the repository into a folder of your own.`,
    );
  }
  const args = ['run-many', '-t', 'build', '-p', apps, '--output-style=static'];
  const env = { ...process.env, ...quietNx };
  const { status, output } = await runChild(bin('nx'), args, { cwd: root, env });
  if (status === 0) return;
  process.stderr.write(output);
  fail(`Cannot run "${command}": the build failed.`);
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

const [name, ...args] = process.argv.slice(2);
const command = commands[name];
if (!command) fail(`usage: node tools/run.mjs <${Object.keys(commands).join('|')}>`);
await command(args);
