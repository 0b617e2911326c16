import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Session } from '../session';
import { downloadCommand } from '../../commands/files/file-transfer';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { safeName, saveNewFile } from './save-files';
import { saveReply } from './save-reply';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daycare-save-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a saved file never overwrites an existing file, not even through a symbolic link', async () => {
  await writeFile(join(folder, 'a.txt'), 'mine');
  await symlink(join(folder, 'target'), join(folder, 'a (2).txt'));
  const paths = [];
  for (const text of ['one', 'two'])
    paths.push(await saveNewFile(folder, 'a.txt', Buffer.from(text)));
  expect(paths.map((path) => basename(path))).toEqual(['a (3).txt', 'a (4).txt']);
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('mine');
  expect(await readFile(paths[1]!, 'utf8')).toBe('two');
  expect(await readdir(folder)).not.toContain('target');
});

it('a missing folder is created for a saved file', async () => {
  const path = await saveNewFile(join(folder, 'new', 'deep'), 'a', Buffer.from('x'));
  expect(await readFile(path, 'utf8')).toBe('x');
});

/** Returns a file, and a session with a service that stores only this file. */
function serviceWithFile(name: string) {
  const content = Buffer.from('words');
  const file = { id: 'f1', name, mimeType: 'text/plain', size: content.length };
  const download = async (id: string) => {
    if (id !== file.id) throw new Failure(exitCodes.notFound, 'There is no such file.');
    return { ...file, sha256: '', bytes: content };
  };
  return { file, session: { daycare: { files: { download } } } as unknown as Session };
}

it('a file downloaded under its own name is never hidden', async () => {
  const { session } = serviceWithFile('.bash_profile');
  const before = process.cwd();
  process.chdir(folder);
  try {
    const call = { session: async () => session, args: ['f1'], options: {} };
    await downloadCommand.run(call as never);
  } finally {
    process.chdir(before);
  }
  expect(await readdir(folder)).toEqual(['bash_profile']);
});

it('a reply lists its files and the reason when they cannot be saved, and their paths when they can', async () => {
  const { file, session } = serviceWithFile('a.txt');
  await writeFile(join(folder, 'taken'), 'no folder');
  const failed = await saveReply(session, { files: [file] }, join(folder, 'taken'));
  expect(failed).toMatchObject({ saved: [], exitCode: 1 });
  expect(failed.lines).toEqual([
    '[file a.txt, 5 bytes: "daycare file download f1"]',
    expect.stringContaining('Cannot save a.txt'),
  ]);
  const saved = await saveReply(session, { files: [file] }, join(folder, 'in'));
  expect(saved.saved).toEqual([join(folder, 'in', 'a.txt')]);
});

it('a reply whose second file cannot be saved still reports the first as saved', async () => {
  const { file, session } = serviceWithFile('a.txt');
  const files = [file, { ...file, id: 'missing', name: 'b.txt' }];
  const reply = await saveReply(session, { files }, folder);
  const path = join(folder, 'a.txt');
  expect(reply).toEqual({
    saved: [path],
    lines: [
      `Saved ${path}`,
      '[file b.txt, 5 bytes: "daycare file download missing"]',
      'There is no such file.',
    ],
    saveError: 'There is no such file.',
    exitCode: exitCodes.notFound,
  });
});

it.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['a\\b:c.txt', 'a_b_c.txt'],
  ['\u001b[2Jx\u202egpj.exe', '_[2Jx_gpj.exe'],
  ['.bashrc', 'bashrc'],
  ['..', 'file'],
  ['größe 漢字.txt', 'größe 漢字.txt'],
])('a file named %j is saved as %j', (name, expected) => {
  expect(safeName(name)).toBe(expected);
});
