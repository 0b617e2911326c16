import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock';

const deadPid = 2_147_483_646;

describe('a file lock', () => {
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

  it('is held by one at a time, whatever those who were killed have left', async () => {
    const most: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([claim(deadPid), claim(process.pid, 'of an earlier process')]);
      let [holders, mostHolders] = [0, 0];
      const hold = async (): Promise<void> => {
        mostHolders = Math.max(mostHolders, (holders += 1));
        await readdir(folder);
        holders -= 1;
      };
      await Promise.all(Array.from({ length: 6 }, () => withFileLock(file, hold)));
      most.push(mostHolders);
    }
    expect(most).toEqual(most.map(() => 1));
    expect(await readdir(folder)).toEqual([]);
  }, 20_000);

  it('is never taken from somebody alive, however long they hold it', async () => {
    const path = await claim(process.ppid);
    const waiting = withFileLock(file, async () => 'taken', 50);
    await expect(waiting).rejects.toMatchObject({
      message: `${file} is being changed by process ${process.ppid}.`,
      hint: expect.stringContaining(path),
    });
    expect(await readdir(folder)).toEqual([`config.yaml.lock.${process.ppid}.x`]);
  });

  it('is free again after what was done with it failed', async () => {
    const failing = withFileLock(file, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await expect(withFileLock(file, async () => 'taken')).resolves.toBe('taken');
  });
});
