import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { safeName, saveNew } from './save-files';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daycare-save-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a saved file never overwrites another, not even through a link', async () => {
  await writeFile(join(folder, 'a.txt'), 'mine');
  await symlink(join(folder, 'target'), join(folder, 'a (2).txt'));
  const paths = [];
  for (const text of ['one', 'two']) paths.push(await saveNew(folder, 'a.txt', Buffer.from(text)));
  expect(paths.map((path) => basename(path))).toEqual(['a (3).txt', 'a (4).txt']);
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('mine');
  expect(await readFile(paths[1]!, 'utf8')).toBe('two');
  expect(await readdir(folder)).not.toContain('target');
});

it('a missing folder is created', async () => {
  const path = await saveNew(join(folder, 'new', 'deep'), 'a', Buffer.from('x'));
  expect(await readFile(path, 'utf8')).toBe('x');
});

it.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['a\\b:c.txt', 'a_b_c.txt'],
  ['\u001b[2Jx\u202egpj.exe', '_[2Jx_gpj.exe'],
  ['.bashrc', 'bashrc'],
  ['..', 'file'],
  ['größe 漢字.txt', 'größe 漢字.txt'],
])('%j is saved as %j', (name, expected) => {
  expect(safeName(name)).toBe(expected);
});
