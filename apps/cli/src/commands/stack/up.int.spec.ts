import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkspaceRoot, processStartTime, appNames } from '@daycare/local-stack';
import { eventually, testMongoUrl, testNatsUrl } from '@daycare/testing';

/** A process of `daycare up`, and what it has printed so far. */
interface Run {
  readonly child: ChildProcess;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
  stdout: string;
  stderr: string;
}

describe('daycare up', () => {
  const workspaceRoot = findWorkspaceRoot(__dirname);
  let root: string;
  const runs: Run[] = [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'daycare-up-'));
    await writeFile(join(root, 'nx.json'), '{}');
    await symlink(join(workspaceRoot, 'tools'), join(root, 'tools'));
    bundleCli(join(root, 'dist', 'cli', 'main.js'));
    await Promise.all(appNames.map(writeFakeService));
  });
  afterEach(async () => {
    for (const { child, exited } of runs.splice(0)) {
      child.kill('SIGKILL');
      await exited;
    }
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const bundleCli = (outfile: string): void => {
    const esbuild = join(workspaceRoot, 'node_modules/esbuild/bin/esbuild');
    const entry = join(workspaceRoot, 'apps/cli/src/main.ts');
    const options = ['--bundle', '--platform=node', '--target=node20', '--log-level=error'];
    execFileSync(esbuild, [entry, ...options, `--outfile=${outfile}`]);
  };
  const writeFakeService = async (name: string): Promise<void> => {
    const fixture = join(workspaceRoot, 'libs/local-stack/fixtures/fake-service.cjs');
    await mkdir(join(root, 'dist', name), { recursive: true });
    await writeFile(join(root, 'dist', name, 'main.js'), `require(${JSON.stringify(fixture)});\n`);
  };

  const runUp = (dataDir: string, env: NodeJS.ProcessEnv = {}, ...args: string[]): Run => {
    const servers = { DAYCARE_MONGO_URL: testMongoUrl(), DAYCARE_NATS_URL: testNatsUrl() };
    const child = spawn(
      process.execPath,
      [join(root, 'dist/cli/main.js'), 'up', '--data-dir', dataDir, ...args],
      { cwd: root, env: { PATH: process.env['PATH'], ...servers, ...env } },
    );
    const exited = once(child, 'close') as Run['exited'];
    const run: Run = { child, exited, stdout: '', stderr: '' };
    child.stdout.on('data', (bytes: Buffer) => (run.stdout += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (run.stderr += bytes.toString()));
    runs.push(run);
    return run;
  };
  const untilReady = (run: Run): Promise<boolean> =>
    eventually(() => run.stdout.includes('Press Ctrl-C to stop everything.'), {
      timeoutMs: 20_000,
    });
  const readChildren = async (dataDir: string): Promise<{ name: string; pid: number }[]> => {
    const text = await readFile(join(root, dataDir, 'run.json'), 'utf8');
    return (JSON.parse(text) as { children: { name: string; pid: number }[] }).children;
  };
  const isAlive = ({ pid }: { pid: number }): boolean => processStartTime(pid) !== undefined;

  it('shows when it is ready, restarts crashed parts and leaves no process after Ctrl-C', async () => {
    const run = runUp('whole', { DAYCARE_MONGO_URL: '', DAYCARE_NATS_URL: '' });
    await untilReady(run);
    expect(run.stdout).toMatch(/✔ MongoDB \d[^]*✔ topology[^]*Daycare is ready in \d\.\d s\./);
    const children = await readChildren('whole');
    expect(children).toHaveLength(7);
    for (const { pid } of children.filter(({ name }) => /identity|nats/.test(name))) {
      process.kill(pid, 'SIGKILL');
    }
    await eventually(
      () => run.stdout.includes('✔ identity restarted') && run.stdout.includes('✔ NATS restarted'),
    );
    expect(run.stdout).toMatch(
      /✖ identity was killed by SIGKILL\. Its last lines:\n.*INFO {2}ready/,
    );
    const restarted = await readChildren('whole');
    // npm forwards the signal that the terminal has already sent.
    run.child.kill('SIGINT');
    run.child.kill('SIGINT');
    expect(await run.exited).toEqual([0, null]);
    expect(run.stdout).toMatch(/Stopping…\nStopped in \d\.\d s\. Nothing is left running\.\n$/);
    expect([...children, ...restarted].filter(isAlive)).toEqual([]);
  });

  it('shows the admin credential on the first start and after --fresh, but on no other start', async () => {
    const shownCredential = ({ stdout }: Run): string | undefined =>
      /^Admin credential \(shown only once; stored in kept\/credentials\.json\):\n {2}(\S+)$/m.exec(
        stdout,
      )?.[1];
    const runOnce = async (...args: string[]): Promise<string | undefined> => {
      const run = runUp('kept', {}, ...args);
      await untilReady(run);
      run.child.kill('SIGINT');
      await run.exited;
      expect(run.stdout).toContain('npx daycare login --data-dir kept');
      const header = await readFile(join(root, 'kept', 'admin.header'), 'utf8');
      const shown = Buffer.from(header.split(' ').pop()!, 'base64').toString();
      expect([undefined, shown]).toContain(shownCredential(run));
      return shownCredential(run);
    };
    const first = await runOnce();
    expect(first).toMatch(/^admin:[\w-]{43}$/);
    expect(await runOnce()).toBeUndefined();
    const fresh = await runOnce('--fresh');
    expect(fresh).toMatch(/^admin:/);
    expect(fresh).not.toBe(first);
  });

  it('shows the admin credential even when the first start fails', async () => {
    const behaviour = JSON.stringify({ identity: 'refuse' });
    const run = runUp('failed', { FAKE_BEHAVIOUR: behaviour });
    expect(await run.exited).toEqual([1, null]);
    expect(run.stdout).toMatch(/^ {2}admin:[\w-]{43}$/m);
  });

  it('rejects unusable credentials with a message that does not reveal them', async () => {
    const run = runUp('given', { DAYCARE_CREDENTIALS: 'hush-hush' });
    expect(await run.exited).toEqual([1, null]);
    expect(run.stderr).toMatch(
      /^DAYCARE_CREDENTIALS does not contain the credentials of this stack: /,
    );
    expect(run.stdout + run.stderr).not.toContain('hush');
  });

  it('exits with code 1 and the reason when a service cannot start', async () => {
    const behaviour = JSON.stringify({ identity: 'refuse' });
    const run = runUp('refused', { FAKE_BEHAVIOUR: behaviour });
    expect(await run.exited).toEqual([1, null]);
    expect(run.stderr).toBe(
      'identity exited with code 78 while starting.\n' +
        'identity: DAYCARE_LOG_LEVEL is "loud"; it must be debug, info or warn.\n',
    );
    expect(existsSync(join(root, 'refused', 'run.json'))).toBe(false);
  });

  it('exits with code 1 and a single line when the value of an environment variable is invalid', async () => {
    const run = runUp('wrong', { DAYCARE_TOPOLOGY_PORT: 'many' });
    expect(await run.exited).toEqual([1, null]);
    expect(run.stderr).toBe(
      'DAYCARE_TOPOLOGY_PORT is "many"; it must be a port number from 1 to 65535.\n',
    );
  });

  it('exits when an unknown variable is set and suggests the one with the most similar name', async () => {
    const run = runUp(join(root, 'misspelt'), { DAYCARE_MODLE: 'local/echo' });
    expect(await run.exited).toEqual([1, null]);
    expect(run.stderr).toContain('DAYCARE_MODLE is set, but there is no such variable');
    expect(run.stderr).toContain('did you mean DAYCARE_MODEL?');
  });

  it('refuses a data folder in use, even with --fresh, but takes it over after the launcher that used it was killed', async () => {
    const first = runUp('shared');
    await untilReady(first);
    const second = runUp('shared', {}, '--fresh');
    expect(await second.exited).toEqual([1, null]);
    expect(second.stderr).toContain(`(process ${first.child.pid ?? 0})`);
    const orphans = await readChildren('shared');
    first.child.kill('SIGKILL');
    await first.exited;
    const third = runUp('shared');
    await untilReady(third);
    expect(orphans.filter(isAlive)).toEqual([]);
    third.child.kill('SIGTERM');
    expect(await third.exited).toEqual([0, null]);
  });

  it('with --detach, runs in the background until "daycare stop", and "daycare logs" shows its logs', async () => {
    const up = runUp('behind', {}, '--detach');
    expect(await up.exited).toEqual([0, null]);
    expect(up.stdout).toMatch(
      /Daycare is ready in[^]*Stop it with "npx daycare stop --data-dir behind"\./,
    );
    const children = await readChildren('behind');
    const again = runUp('behind', {}, '--detach');
    expect(await again.exited).toEqual([5, null]);
    expect(again.stderr).toContain('Stop it with "daycare stop"');
    const runDaycare = (...argv: string[]): string =>
      execFileSync(
        process.execPath,
        [join(root, 'dist/cli/main.js'), ...argv, '--data-dir', 'behind'],
        { cwd: root, env: { PATH: process.env['PATH'], HOME: root }, encoding: 'utf8' },
      );
    expect(runDaycare('logs', 'identity')).toMatch(/^identity \| .*INFO {2}ready/m);
    expect(runDaycare('stop')).toMatch(/^Stopped the stack in .*behind\.\n$/);
    expect(children.filter(isAlive)).toEqual([]);
    expect(() => runDaycare('stop')).toThrow('No stack is running');
  });

  it('leaves no process when interrupted during start-up', async () => {
    const run = runUp('early', { FAKE_BEHAVIOUR: JSON.stringify({ topology: 'silent' }) });
    await eventually(() => run.stdout.includes('✔ identity'));
    const children = await readChildren('early');
    run.child.kill('SIGINT');
    expect(await run.exited).toEqual([0, null]);
    expect(children.filter(isAlive)).toEqual([]);
  });
});
