import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processStartTime } from '@daycare/local-stack/lookup';
import { withFileLock } from './file-lock';

const deadPid = 2_147_483_646;

describe('withFileLock', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-lock-'));
    file = join(folder, 'config.yaml');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const claim = async (pid: number, name = 'x'): Promise<string> => {
    const path = `${file}.lock.${pid}.${name}`;
    await writeFile(path, '');
    await utimes(path, 0, 0);
    return path;
  };

  it('allows only one holder at a time, and removes the claims of killed processes', async () => {
    const maxima: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([claim(deadPid), claim(process.pid, 'of an earlier process')]);
      let [holders, maxHolders] = [0, 0];
      const hold = async (): Promise<void> => {
        maxHolders = Math.max(maxHolders, (holders += 1));
        await readdir(folder);
        holders -= 1;
      };
      await Promise.all(Array.from({ length: 6 }, () => withFileLock(file, hold)));
      maxima.push(maxHolders);
    }
    expect(maxima).toEqual(maxima.map(() => 1));
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['', 'x'],
    [' that recorded its start time', `${processStartTime(process.ppid)}.x`],
  ])(
    'never takes the lock from a live process%s, and names that process after the timeout',
    async (_, name) => {
      const path = await claim(process.ppid, name);
      const waiting = withFileLock(file, async () => 'done', 50);
      await expect(waiting).rejects.toMatchObject({
        message: `${file} is locked by process ${process.ppid}.`,
        hint: expect.stringContaining(path),
      });
      expect(await readdir(folder)).toEqual([`config.yaml.lock.${process.ppid}.${name}`]);
    },
  );

  it('removes the claim of a dead process even if another process now has the same id', async () => {
    await claim(process.ppid, '1.x');
    await expect(withFileLock(file, async () => 'done', 50)).resolves.toBe('done');
    expect(await readdir(folder)).toEqual([]);
  });

  it('releases the lock after a failure', async () => {
    const failing = withFileLock(file, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await expect(withFileLock(file, async () => 'done')).resolves.toBe('done');
  });
});
