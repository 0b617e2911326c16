import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from '@jest/globals';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';

const root = findWorkspaceRoot(__dirname);
const program = join(root, 'dist/cli/main.js');
const readyTimeout = { timeoutMs: 120_000 };
const foregroundCommands = /^npx daycare up .*$/gm;

/** Returns a page's code blocks that a reader would paste into a shell. */
const blocksOf = (page: string): string[] =>
  [...readFileSync(join(root, 'docs', page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, block = '']) => block,
  );

let folder: string;
let stack: ChildProcess;

const environment = (): NodeJS.ProcessEnv => ({
  PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
  HOME: folder,
  DATA: join(folder, 'data'),
  DAYCARE_CONFIG: join(folder, 'config.yaml'),
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daycare-runbooks-'));
  mkdirSync(join(folder, 'bin'));
  // `npx daycare` works only inside the workspace; this `npx` runs the program from any folder.
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`;
  writeFileSync(join(folder, 'bin/npx'), npx);
  chmodSync(join(folder, 'bin/npx'), 0o755);
  stack = await startUp(join(folder, 'data'));
}, 180_000);
afterAll(async () => {
  await stopUp(stack);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Runs `daycare up`; resolves when everything is running. */
async function startUp(dataDir: string): Promise<ChildProcess> {
  const env = environment();
  const child = spawn(process.execPath, [program, 'up', '--data-dir', dataDir], {
    cwd: folder,
    env,
  });
  let screen = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (screen += bytes.toString()));
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(screen);
    return screen.includes('Press Ctrl-C to stop everything.');
  }, readyTimeout);
  return child;
}

async function stopUp(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function runBlock(block: string): Promise<{ code: unknown; output: string }> {
  const script = `set -euo pipefail\n${block}`;
  const child = spawn('bash', ['-c', script], { cwd: folder, env: environment() });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, output };
}

it.each(blocksOf('operations.md').map((block) => [block.split('\n')[0]!, block] as const))(
  'docs/operations.md: the block that begins with "%s" runs without an error',
  async (_, block) => {
    const { code, output } = await runBlock(block.replace(foregroundCommands, ''));
    if (code !== 0) throw new Error(`exit code ${String(code)}:\n${output}`);
    for (const [line] of block.matchAll(foregroundCommands)) {
      const dataDir = /--data-dir (\S+)/.exec(line)![1]!;
      await stopUp(await startUp(join(folder, dataDir)));
    }
  },
  240_000,
);
