import { once } from 'node:events';
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import {
  makeTestSandbox,
  newMark,
  processesWith,
  startBehindShell,
  testSetup,
  whyNoSandbox,
  type TestSandbox,
} from '../../test-support/homes/test-sandbox';
import { openSandbox } from './open-sandbox';

const reason = whyNoSandbox();
const [alice, bob] = [createId(), createId()];
const mebibyte = 1024 * 1024;
const config = {
  enabled: true,
  network: false,
  maxRuns: 1,
  memoryBytes: 64 * mebibyte,
  processes: 32,
};

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = makeTestSandbox();
  await sandbox.homes.ensure(alice);
});
afterAll(() => sandbox.close());

async function open(overrides: Partial<typeof config>, usersDir = sandbox.usersDir) {
  const warnings: object[] = [];
  const log = { info: () => undefined, warn: (fields: object) => warnings.push(fields) };
  const options = { usersDir, fileBytes: mebibyte };
  const run = await openSandbox({ ...config, uid: sandbox.uid, ...overrides }, options, log);
  return { run, warnings };
}

describe('openSandbox', () => {
  it('opens no sandbox and logs nothing when disabled', async () => {
    await expect(open({ enabled: false })).resolves.toEqual({ run: undefined, warnings: [] });
  });

  it('opens no sandbox without users’ directories, and logs why', async () => {
    await expect(open({}, '')).resolves.toEqual({
      run: undefined,
      warnings: [{ reason: 'no users directory is configured' }],
    });
  });

  it('opens no sandbox if the users’ directory does not exist, and logs why', async () => {
    const { run, warnings } = await open({}, join(sandbox.usersDir, 'nowhere'));
    expect(run).toBeUndefined();
    expect(warnings).toEqual([{ reason: expect.stringContaining('ENOENT') }]);
  });

  it.each(['/usr', '/usr/local', '/'])(
    'opens no sandbox if the users’ directories are in %s, where programs could see them',
    async (usersDir) => {
      const { run, warnings } = await open({}, usersDir);
      expect(run).toBeUndefined();
      expect(warnings).toEqual([{ reason: expect.stringContaining('programs can see') }]);
    },
  );
});

if (reason !== undefined)
  it(`opens no sandbox on a machine where programs cannot run, and logs why: ${reason}`, async () => {
    const { run, warnings } = await open({});
    expect(run).toBeUndefined();
    expect(warnings).toEqual([{ reason: expect.stringMatching(/./) }]);
  });
else {
  describe('the isolation of a program', isolation);
  describe('the limits of a program', limits);
  describe('the end of a program', ends);
}

function isolation(): void {
  it('a program can read and change its user’s files, and the start-up probe leaves nothing behind', async () => {
    await expect(open({})).resolves.toMatchObject({ run: expect.any(Function), warnings: [] });
    await sandbox.homes.write(alice, ['home', 'in', 'note'], Buffer.from('hello'), () => undefined);
    const command = 'cat in/note; pwd; echo more >> in/note; echo app > ../apps/x; exit 3';
    const end = await sandbox.run(alice, command);
    expect(end).toMatchObject({
      exitCode: 3,
      killedBy: undefined,
      stdout: 'hello/home/agent/home\n',
    });
    const note = await sandbox.homes.read(alice, ['home', 'in', 'note'], 100);
    expect(note?.toString()).toBe('hellomore\n');
    expect(readdirSync(sandbox.usersDir)).toEqual([alice]);
  });

  it('a program cannot write to skills, system folders or the in-memory root, and cannot see the user’s memory nodes', async () => {
    const paths = ['../skills/x', '/x', '/usr/x', '/dev/x', '/home/x', '/etc/x', '/home/agent/x'];
    const { stdout } = await sandbox.run(
      alice,
      `for path in ${paths.join(' ')}; do touch $path 2>/dev/null && echo $path; done; ls ..`,
    );
    expect(stdout).toBe('apps\nhome\nskills\n');
  });

  it('a program cannot reach another user’s files by path, through /proc or through a link', async () => {
    await sandbox.homes.ensure(bob);
    const secret = join(await sandbox.homes.directoryOf(bob), 'home', 'secret');
    writeFileSync(secret, 'bob-was-here', { mode: 0o666 });
    const { stdout } = await sandbox.run(
      alice,
      `ln -sfn ${sandbox.usersDir} all; ln -sf ${secret} one
      cat ${secret} one all/${bob}/home/secret /proc/1/root${secret} /proc/self/cwd/../../..${secret} \
        /proc/[0-9]*/root${secret} /proc/[0-9]*/cwd/../../${bob}/home/secret
      for fd in /proc/[0-9]*/fd/*; do cat $fd/../../${bob}/home/secret; done
      ls ${sandbox.usersDir} /root /work /var /run`,
    );
    expect(stdout).toBe('');
  });

  it('a program does not start if one of its user’s folders was replaced by a link', async () => {
    const mallory = createId();
    await sandbox.homes.ensure(mallory);
    const apps = join(await sandbox.homes.directoryOf(mallory), 'apps');
    rmSync(apps, { recursive: true });
    symlinkSync(join(await sandbox.homes.directoryOf(bob), 'home'), apps);
    const run = sandbox.runWithoutRepair(mallory, 'cat ../apps/secret');
    await expect(run).rejects.toThrow(/ELOOP|ENOTDIR/);
  });

  it('a program cannot move or replace the folders mounted for the next run', async () => {
    const command =
      'cd /; for f in home apps skills; do d=/home/agent/$f; mv $d $d.old; rmdir $d; rm -rf $d; ln -sfn / $d; done';
    await sandbox.run(bob, command);
    const { stdout } = await sandbox.run(bob, 'cd /home/agent; stat -c "%n %F" *');
    expect(stdout).toBe('apps directory\nhome directory\nskills directory\n');
  });

  it('a program cannot see the service’s environment, descriptors, host name or processes', async () => {
    process.env['DAYCARE_TEST_SECRET'] = 'service-secret';
    const { stdout } = await sandbox.run(
      alice,
      'env | cut -d= -f1 | sort | tr "\\n" " "; cat /proc/*/environ | tr "\\0" "\\n" | grep -c DAYCARE; ' +
        // In a subshell: the shell itself has pipes open while it starts a pipeline.
        '(for f in /proc/$$/fd/*; do [ ${f##*/} -gt 2 ] && readlink $f; done) > /tmp/fds; grep -v /dev/null /tmp/fds; ' +
        'hostname; ls /sys; id -u; grep -c . /proc/net/dev; ' +
        'ls -d /proc/[0-9]* | wc -l; grep CapBnd /proc/self/status; unshare -U true || echo no',
    );
    delete process.env['DAYCARE_TEST_SECRET'];
    const [variables, ...rest] = stdout.split('\n');
    expect(variables).toBe('HOME LANG PATH PWD TERM TMPDIR USER 0');
    expect(rest.slice(0, 4)).toEqual(['sandbox', '1000', '3', expect.any(String)]);
    expect(Number(rest[3])).toBeLessThan(8);
    expect(rest.slice(4)).toEqual(['CapBnd:\t0000000000000000', 'no', '']);
  });

  describe('the network of a program', () => {
    let server: Server;
    beforeAll(async () => {
      server = createServer((socket) => socket.end('reached'));
      await once(server.listen(0, '127.0.0.1'), 'listening');
    });
    afterAll(() => {
      server.close();
    });

    it.each([
      [false, ''],
      [true, 'reached'],
    ])(
      'a program started with network: %s reads %j from a local server',
      async (network, stdout) => {
        const { port } = server.address() as AddressInfo;
        const command = `/bin/bash -c 'cat < /dev/tcp/127.0.0.1/${port}'`;
        await expect(sandbox.run(alice, command, { network })).resolves.toMatchObject({ stdout });
      },
    );
  });
}

function limits(): void {
  it('the sandbox keeps the beginning of the output and discards the rest', async () => {
    const end = await sandbox.run(alice, 'head -c 1M /dev/zero; echo short >&2');
    expect(end).toMatchObject({
      exitCode: 0,
      stdoutCut: true,
      stderr: 'short\n',
      stderrCut: false,
    });
    expect(end.stdout).toHaveLength(65_536);
  });

  it('the sandbox kills a program that prints too much', async () => {
    const end = await sandbox.run(alice, 'head -c 10G /dev/zero');
    expect(end).toMatchObject({ killedBy: 'output', exitCode: undefined, stdoutCut: true });
  });

  it('the sandbox kills a program that exceeds its time limit', async () => {
    const end = await sandbox.run(alice, 'echo begun; while :; do :; done', { timeoutMs: 500 });
    expect(end).toMatchObject({ killedBy: 'time', stdout: 'begun\n' });
  });

  it('a program fails or is killed if one of its processes uses too much memory', async () => {
    const { exitCode, killedBy } = await sandbox.run(alice, 'tail /dev/zero');
    expect(killedBy === 'memory' || exitCode !== 0).toBe(true);
  });

  it('the sandbox kills a program whose processes together use too much memory', async () => {
    const hog = '(x=$(head -c 20M /dev/zero | tr "\\0" x); sleep 20; :) &';
    const end = await sandbox.run(alice, `${hog.repeat(8)} wait`);
    expect(end).toMatchObject({ killedBy: 'memory' });
  });

  it('a fork bomb gets few processes while it runs, and the sandbox leaves none of them running afterwards', async () => {
    const mark = newMark();
    const bomb = join(await sandbox.homes.directoryOf(alice), 'home', mark);
    writeFileSync(bomb, `b() { sleep ${mark} | b & b; }; b`, { mode: 0o644 });
    let maxCount = 0;
    const counting = setInterval(
      () => (maxCount = Math.max(maxCount, processesWith(mark).length)),
      20,
    );
    const end = await sandbox.run(alice, `sleep 30 & sh ./${mark} & wait`, { timeoutMs: 1_500 });
    clearInterval(counting);
    expect(end).toMatchObject({ killedBy: 'time', stderr: expect.stringContaining('Cannot fork') });
    expect(maxCount).toBeGreaterThan(1);
    expect(maxCount).toBeLessThanOrEqual(testSetup.limits.processes + 1);
    expect(processesWith(mark)).toEqual([]);
  });

  it('the sandbox limits the size of each file that a program writes', async () => {
    const end = await sandbox.run(alice, 'head -c 1G /dev/zero > big; stat -c %s big; rm big');
    expect(end.stdout).toBe(`${testSetup.limits.fileBytes}\n`);
  });

  it('the sandbox kills a program that fills its user’s directory, even in a folder that it made unreadable', async () => {
    const hasRoom = async (): Promise<boolean> =>
      (await sandbox.homes.measure(alice)).bytes < 20 * mebibyte;
    const fill =
      'mkdir d; cd d; chmod 300 .; n=0; while :; do n=$((n+1)); head -c 1M /dev/zero > f$n; sleep 0.01; done';
    const end = await sandbox.run(alice, fill, { hasRoom });
    expect(end).toMatchObject({ killedBy: 'quota' });
    expect((await sandbox.homes.measure(alice)).bytes).toBeLessThan(200 * mebibyte);
    await sandbox.run(alice, 'rm -rf d');
  });
}

function ends(): void {
  it('the sandbox returns the exit code of a program that started, and rejects if the program never started', async () => {
    const end = await sandbox.run(alice, 'echo "bwrap: hi" >&2; exit 1');
    expect(end).toMatchObject({ exitCode: 1, stderr: 'bwrap: hi\n' });
    const bare = makeTestSandbox({ system: [] });
    const run = bare.run(alice, 'echo begun');
    await expect(run).rejects.toThrow('The sandbox could not be started');
    bare.close();
  });

  it('the sandbox ends background processes with the program', async () => {
    const mark = newMark();
    const command = `(setsid sleep ${mark} > /dev/null 2>&1 < /dev/null &); (sleep ${mark} &); echo done`;
    await expect(sandbox.run(alice, command)).resolves.toMatchObject({
      exitCode: 0,
      stdout: 'done\n',
    });
    expect(processesWith(mark)).toEqual([]);
  });

  it('the sandbox ends the program when the process that started it is killed', async () => {
    const mark = newMark();
    const directory = await sandbox.homes.directoryOf(alice);
    const service = startBehindShell(directory, `sleep ${mark}`);
    await eventually(() => processesWith(`sleep\0${mark}`).length === 1);
    service.kill('SIGKILL');
    await eventually(() => processesWith(mark).length === 0);
  });

  it('the sandbox ends the program immediately when the call is aborted', async () => {
    const mark = newMark();
    const aborting = new AbortController();
    const run = sandbox.run(alice, `sleep ${mark}`, { signal: aborting.signal });
    const outcome = expect(run).rejects.toThrow('enough');
    await eventually(() => processesWith(`sleep\0${mark}`).length === 1);
    aborting.abort(new Error('enough'));
    await outcome;
    expect(processesWith(mark)).toEqual([]);
    await expect(
      sandbox.run(alice, 'touch never', { signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before');
  });
}
