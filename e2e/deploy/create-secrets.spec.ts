import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { root } from './render-chart';

const folder = mkdtempSync(join(tmpdir(), 'daycare-secrets-'));
const secrets = join(folder, 'secrets');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const create = (): number | null =>
  spawnSync(process.execPath, [join(root, 'deploy/create-secrets.mjs')], { cwd: folder }).status;
const readAll = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(secrets).map((name) => [name, readFileSync(join(secrets, name), 'utf8')]),
  );

it('create-secrets adds the missing files to an existing folder, keeps the other files unchanged and closes the folder to other users', () => {
  // A folder that was created by hand may be open to other users.
  mkdirSync(secrets, { mode: 0o755 });
  expect(create()).toBe(0);
  expect((statSync(secrets).mode & 0o777).toString(8)).toBe('700');
  const before = readAll();
  expect(create()).toBe(0);
  expect(readAll()).toEqual(before);
  const random = ['vault-key', 'grafana-password'];
  for (const name of [...random, 'nats-topology', 'admin-mongo-url', 'admin.header', 'topology'])
    rmSync(join(secrets, name));
  expect(create()).toBe(0);
  const after = readAll();
  expect(Object.keys(after)).toEqual(Object.keys(before));
  // The other deleted files are derived from files that still exist, so they are recreated with the same content.
  const isNew = (name: string): boolean => after[name] !== before[name];
  expect(Object.keys(after).filter(isNew).sort()).toEqual([...random].sort());
});

it('create-secrets fails and changes nothing if the password table from which other files were generated is missing', () => {
  rmSync(join(secrets, 'mongo-users.json'));
  const before = readAll();
  expect(create()).toBe(1);
  expect(readAll()).toEqual(before);
});
