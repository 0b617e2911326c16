/**
 * Runs the test command on every supported Node version, each in a fresh clone of HEAD.
 * Usage: npm run check:node [-- <version> …] [-- <arguments for npm test>]
 * Example: npm run check:node -- 24 -- -p identity,rpc
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** The oldest supported version, and the release lines; of each line, the newest version is tested. */
const supported = ['20.19.0', '22', '24'];

const args = process.argv.slice(2);
const end = args.includes('--') ? args.indexOf('--') : args.length;
const versions = end === 0 ? supported : args.slice(0, end);
const testArgs = args.slice(end + 1);

const results = versions.map((version) => ({ version, ...checkVersion(version) }));
for (const { version, label, ok } of results)
  process.stdout.write(`Node ${version} (${label}): ${ok ? 'passed' : 'FAILED'}\n`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;

function checkVersion(version) {
  const node = installNode(version);
  const label = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const folder = mkdtempSync(join(tmpdir(), `daycare-node-${version}-`));
  try {
    run('git', ['clone', '--quiet', root, folder]);
    const env = { ...withoutNpmScript(), PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
    const { status } = spawnSync('npm', ['test', '--', ...testArgs], {
      cwd: folder,
      env,
      stdio: 'inherit',
    });
    return { label, ok: status === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Installs Node, which is published as one npm package per platform, and returns the path of the program. For a release
 * line, npm replaces an older installed version with the newest.
 */
function installNode(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(root, '.daycare/node', version);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  const isExact = version.includes('.');
  if (isExact && existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const spec = `${name}@${isExact ? version : `^${version}.0.0`}`;
  run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', spec]);
  return program;
}

/** The clone's npm must not take over this script's workspace and prefix. */
function withoutNpmScript() {
  const others = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return Object.fromEntries(others);
}

function run(command, commandArgs) {
  const { status } = spawnSync(command, commandArgs, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${commandArgs.join(' ')} failed`);
}
