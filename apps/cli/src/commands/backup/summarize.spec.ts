import { expect, it } from '@jest/globals';
import type { Manifest } from '@daycare/local-stack';
import { noColours } from '../../terminal/colours';
import { summarizeBackup } from './summarize';

const part = { bytes: 1, sha256: '', entries: 2 };
const complete: Manifest = {
  format: 1,
  version: '0.1.0',
  startedAt: 'now',
  clusterTime: '1',
  collections: [{ ...part, file: 'x', service: 'identity', collection: 'users' }],
  users: { ...part, file: 'users.bson.gz', unread: [] },
  keys: ['vault-key', 'credentials.json'].map((name) => ({ ...part, file: `keys/${name}` })),
};
const show = (manifest: Manifest) => {
  const { render, exitCode } = summarizeBackup(manifest, 'Done', '/backup');
  return { lines: render({ colours: noColours, width: Infinity }).split('\n'), exitCode };
};

it('describes a complete backup in one line, and exits with code 0', () => {
  const line = 'Done: 2 documents, 2 user files and folders, 2 keys, as of now.';
  expect(show(complete)).toEqual({ lines: [line], exitCode: 0 });
});

it('names every part missing from the backup and the option that adds it, and exits with a distinct code', () => {
  const { users: _, ...databases } = complete;
  const { lines, exitCode } = show({ ...databases, keys: [] });
  expect(exitCode).toBe(7);
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^NOT IN THIS BACKUP: users' files: .*--users-dir/),
    expect.stringMatching(/^NOT IN THIS BACKUP: vault-key.*--key vault-key=FILE/),
    expect.stringMatching(/^NOT IN THIS BACKUP: credentials.json.*--key credentials.json=FILE/),
  ]);
});

it('names some of the files that could not be read, and exits with a distinct code', () => {
  const unread = Array.from({ length: 12 }, (_, index) => `ada/home/${index}\u001b[2J`);
  const { lines, exitCode } = show({ ...complete, users: { ...complete.users!, unread } });
  expect(exitCode).toBe(7);
  expect(lines[1]).toMatch(
    /^NOT READ: 12 user files .* ada\/home\/0\\u001b\[2J, .*home\/9\\u001b\[2J, …$/,
  );
});

it('says how many files could not be read when the manifest names only the first of them', () => {
  const users = { ...complete.users!, unread: ['ada/home/0', 'ada/home/1'], unreadCount: 5_000 };
  expect(show({ ...complete, users }).lines[1]).toBe(
    'NOT READ: 5000 user files or folders (the first 2 are named in manifest.json): ada/home/0, ada/home/1, …',
  );
});
