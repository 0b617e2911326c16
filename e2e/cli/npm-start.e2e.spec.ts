import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { eventually, uniqueName } from '@daycare/testing';

const longTimeout = { timeoutMs: 120_000, intervalMs: 50 };

let dataDir: string;
let mark: string;
let npm: ChildProcess;
let screen = '';

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'daycare-npm-start-'));
  mark = uniqueName('mark');
});
afterEach(() => {
  for (const pid of marked()) process.kill(pid, 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs `npm start` as at a terminal, without the variables that npm, Nx and the tests have set. */
function start(): void {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NX_|JEST_|DAYCARE_)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), STARTED_AS: mark };
  const cwd = findWorkspaceRoot(__dirname);
  npm = spawn('npm', ['start', '--', '--data-dir', dataDir], { cwd, env });
  screen = '';
  for (const stream of [npm.stdout!, npm.stderr!])
    stream.on('data', (bytes: Buffer) => (screen += bytes.toString()));
}

/** All processes that this `npm start` has started, including those that have lost their parents. */
function marked(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readProc(pid, 'environ').includes(mark)).map(Number);
}

function readProc(pid: string | number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

describe('a signal to npm', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s to npm itself ends everything that npm start has started',
    async (signal) => {
      start();
      await eventually(() => screen.includes('Press Ctrl-C to stop everything.'), longTimeout);
      expect(marked().length).toBeGreaterThan(7);
      const exited = once(npm, 'exit');
      npm.kill(signal);
      await exited;
      await eventually(() => marked().length === 0, longTimeout);
      expect(screen).toContain('Nothing is left running.');
    },
    240_000,
  );

  it('a signal during the build ends the build', async () => {
    start();
    const isBuilding = () => marked().some((pid) => readProc(pid, 'cmdline').includes('run-many'));
    await eventually(isBuilding, longTimeout);
    npm.kill('SIGTERM');
    await eventually(() => marked().length === 0, longTimeout);
  }, 240_000);
});
