import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processStartTime } from '../process/process-identity';
import { checkDataDir } from './check-data-dir';
import { deleteData } from './delete-data';
import { claimDataDir } from './run-file';

describe('data folder', () => {
  let folder: string;
  const started: ChildProcess[] = [];
  const runFile = (): string => join(folder, 'run.json');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-data-'));
  });
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const startSleeper = (): number => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    started.push(child);
    return child.pid!;
  };
  const describeProcess = (pid: number) => ({
    name: 'x',
    pid,
    start: processStartTime(pid) ?? '',
  });
  const leaveRunFile = (launcher: object, ...children: object[]): Promise<void> =>
    writeFile(runFile(), JSON.stringify({ launcher, children }));
  const deadLauncher = { name: 'launcher', pid: 2 ** 22 + 1, start: '1' };

  it('rejects a folder on a nearly full disk, and states how much space is free and how much is needed', async () => {
    const nearlyFull = async (): Promise<number> => 100 * 1024 * 1024;
    await expect(checkDataDir(folder, nearlyFull)).rejects.toThrow(
      `Only 100 MiB are free on the disk of ${folder}, but MongoDB and NATS need 512 MiB; free some`,
    );
  });

  it('rejects a folder that is not writable', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(checkDataDir(join(file, 'data'))).rejects.toThrow(
      /^The data folder .*file\/data is not writable \(ENOTDIR.*; make it writable or choose/,
    );
  });

  it('creates a missing folder', async () => {
    await checkDataDir(join(folder, 'a', 'b'));
    expect(existsSync(join(folder, 'a', 'b'))).toBe(true);
  });

  it('deletes every secret from earlier runs, and leaves files that Daycare did not create', async () => {
    const secrets = ['credentials.json', 'admin.header', 'vault.key', 'nats-passwords.json'];
    for (const name of [...secrets, 'notes.txt']) await writeFile(join(folder, name), '');
    await deleteData(folder);
    await expect(readdir(folder)).resolves.toEqual(['notes.txt']);
  });

  it('lets one launcher at a time claim a folder; the error for any other launcher names the process that has claimed it', async () => {
    const first = await claimDataDir(folder);
    await expect(claimDataDir(folder)).rejects.toThrow(
      `Daycare is already running on ${folder} (process ${process.pid})`,
    );
    first.release();
    expect(existsSync(runFile())).toBe(false);
    (await claimDataDir(folder)).release();
  });

  it('records the running children in the run file', async () => {
    const claim = await claimDataDir(folder);
    const pid = startSleeper();
    claim.record({ name: 'mongod', pid });
    const { children } = JSON.parse(await readFile(runFile(), 'utf8')) as { children: object[] };
    expect(children).toEqual([{ name: 'mongod', pid, start: processStartTime(pid) }]);
    claim.forget(pid);
    expect(await readFile(runFile(), 'utf8')).toContain('"children": []');
    claim.release();
  });

  it('takes over a folder from a dead launcher and stops the children that it left running', async () => {
    const pid = startSleeper();
    await leaveRunFile(deadLauncher, describeProcess(pid));
    const claim = await claimDataDir(folder);
    expect(processStartTime(pid)).toBeUndefined();
    claim.release();
  });

  it('does not stop a process that merely reuses the pid of an earlier child', async () => {
    const pid = startSleeper();
    await leaveRunFile(deadLauncher, { ...describeProcess(pid), start: 'another time' });
    const claim = await claimDataDir(folder);
    expect(processStartTime(pid)).toBeDefined();
    claim.release();
  });

  it('ignores a process that merely reuses the pid of the earlier launcher', async () => {
    await leaveRunFile({ ...describeProcess(process.pid), start: 'another time' });
    (await claimDataDir(folder)).release();
  });

  it('takes over a folder whose run file is truncated', async () => {
    await writeFile(runFile(), '{"launcher":');
    (await claimDataDir(folder)).release();
  });

  it('lets exactly one of two launchers claim a folder with a stale run file', async () => {
    await leaveRunFile(deadLauncher);
    const claims = await Promise.allSettled([claimDataDir(folder), claimDataDir(folder)]);
    expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
