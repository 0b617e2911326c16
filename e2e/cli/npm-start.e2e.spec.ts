import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@daycare/testing';
import { copyWorkspace } from '../support/cli/copy-workspace';

const longTimeout = { timeoutMs: 120_000, intervalMs: 50 };

let workspace = '';
let marker: string;
let npm: ChildProcess;
let screen = '';

beforeAll(async () => {
  workspace = await copyWorkspace();
});
afterAll(async () => {
  if (workspace !== '') await rm(workspace, { recursive: true, force: true });
});
beforeEach(() => {
  marker = uniqueName('marker');
});
afterEach(async () => {
  for (const pid of markedProcesses()) process.kill(pid, 'SIGKILL');
  await rm(join(workspace, '.daycare'), { recursive: true, force: true });
});

/** Runs `npm start` as a terminal would, without the variables that npm, Nx and the tests have set. */
function start(): void {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NX_|JEST_|DAYCARE_)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), STARTED_AS: marker };
  npm = spawn('npm', ['start'], { cwd: workspace, env });
  screen = '';
  for (const stream of [npm.stdout!, npm.stderr!])
    stream.on('data', (bytes: Buffer) => (screen += bytes.toString()));
}

/** Returns all processes that this `npm start` has started, including those that have lost their parents. */
function markedProcesses(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readProc(pid, 'environ').includes(marker)).map(Number);
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
    'sending %s to npm itself ends everything that npm start has started',
    async (signal) => {
      start();
      await eventually(() => screen.includes('Press Ctrl-C to stop everything.'), longTimeout);
      expect(markedProcesses().length).toBeGreaterThan(7);
      const exited = once(npm, 'exit');
      npm.kill(signal);
      await exited;
      await eventually(() => markedProcesses().length === 0, longTimeout);
      expect(screen).toContain('Nothing is left running.');
    },
    240_000,
  );

  it('a signal during the build ends the build', async () => {
    start();
    const isBuilding = () =>
      markedProcesses().some((pid) => readProc(pid, 'cmdline').includes('run-many'));
    await eventually(isBuilding, longTimeout);
    npm.kill('SIGTERM');
    await eventually(() => markedProcesses().length === 0, longTimeout);
  }, 240_000);
});
