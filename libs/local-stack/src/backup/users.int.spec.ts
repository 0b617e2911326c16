import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { lstatSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { BSON, Binary } from 'mongodb';
import { makeBackup } from './backup';
import { writeBson } from './bson-file';
import { readUsers } from './read-users';
import { requireEmptyFolder, writeUsers } from './write-users';

const folder = mkdtempSync(join(tmpdir(), 'daycare-users-'));
const [source, target] = [join(folder, 'source'), join(folder, 'target')];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const failOnUnread = (path: string): never => {
  throw new Error(`unread: ${path}`);
};

it("writeUsers restores users' files with their content and modes, and symbolic links as links", async () => {
  mkdirSync(join(source, 'ada/home/deep'), { recursive: true });
  writeFileSync(join(source, 'ada/home/deep/large'), Buffer.alloc(2_500_000, 'x'));
  writeFileSync(join(source, 'ada/home/empty'), '');
  writeFileSync(Buffer.from(`${source}/ada/home/\xff\xfe`, 'latin1'), 'not UTF-8');
  chmodSync(join(source, 'ada/home/empty'), 0o640);
  chmodSync(join(source, 'ada/home'), 0o711);
  writeFileSync(join(folder, 'secret'), 'of the operator');
  symlinkSync(join(folder, 'secret'), join(source, 'ada/home/link'));
  symlinkSync(folder, join(source, 'ada/outside'));
  await writeBson(folder, 'users.bson.gz', readUsers(source, failOnUnread));
  await requireEmptyFolder(target);
  await writeUsers(target, folder, 'users.bson.gz');
  const read = (path: string) => readFileSync(join(target, path));
  expect(read('ada/home/deep/large')).toEqual(Buffer.alloc(2_500_000, 'x'));
  expect(readFileSync(Buffer.from(`${target}/ada/home/\xff\xfe`, 'latin1'), 'utf8')).toBe(
    'not UTF-8',
  );
  expect(statSync(join(target, 'ada/home/empty')).mode & 0o777).toBe(0o640);
  expect(statSync(join(target, 'ada/home')).mode & 0o777).toBe(0o711);
  expect(readlinkSync(join(target, 'ada/home/link'))).toBe(join(folder, 'secret'));
  expect(lstatSync(join(target, 'ada/outside')).isSymbolicLink()).toBe(true);
  await expect(requireEmptyFolder(target)).rejects.toThrow('not empty');
});

it.each(['../escaped', '/etc/escaped', 'a//b', 'a/../../b'])(
  'writeUsers refuses a backup with the path %s',
  async (path) => {
    const entry = { kind: 'file', path: new Binary(Buffer.from(path)), mode: 0o600 };
    const entries = async function* (): AsyncGenerator<Uint8Array> {
      yield BSON.serialize(entry);
    };
    const file = `bad-${Buffer.from(path).toString('hex')}.bson.gz`;
    await writeBson(folder, file, entries());
    await expect(writeUsers(join(folder, 'other'), folder, file)).rejects.toThrow('leads out');
  },
);

it('readUsers yields no entries if the folder does not exist', async () => {
  for await (const _ of readUsers(join(folder, 'absent'), failOnUnread))
    throw new Error('unexpected');
});

it('readUsers reports a folder that is nested too deeply, and reads everything above it', async () => {
  const deep = join(folder, 'deep');
  mkdirSync(join(deep, 'd/'.repeat(514)), { recursive: true });
  const unread: string[] = [];
  let folders = 0;
  for await (const _ of readUsers(deep, (path) => unread.push(path))) folders += 1;
  expect(folders).toBe(512);
  expect(unread).toEqual([Array(513).fill('d').join('/')]);
});

it("makeBackup refuses a missing folder of users' files before it writes anything", async () => {
  const backup = join(folder, 'refused');
  const usersDir = join(folder, 'misspelt');
  const nothing = { mongoUrl: 'mongodb://unused', databases: [], keys: {} };
  await expect(makeBackup({ ...nothing, usersDir }, backup, '0.1.0')).rejects.toThrow(
    `the folder of users' files, ${usersDir}, does not exist`,
  );
  expect(existsSync(backup)).toBe(false);
});
