import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeNewFile } from './write-new';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daycare-write-new-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('writeNewFile', () => {
  it('creates missing folders, and a file that only its owner can read', async () => {
    const path = join(folder, 'new', 'deep', 'file.json');
    await writeNewFile(path, 'text', false);
    expect(await readFile(path, 'utf8')).toBe('text');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('overwrites an existing file only with force, and then only its owner can read it', async () => {
    const path = join(folder, 'existing.json');
    await writeFile(path, 'old');
    await chmod(path, 0o644);
    await expect(writeNewFile(path, 'new', false)).rejects.toThrow('already exists');
    await writeNewFile(path, 'new', true);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});
