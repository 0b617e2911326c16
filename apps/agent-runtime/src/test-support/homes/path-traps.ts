import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canary } from './test-homes';

export interface TrapFolders {
  /** The user's directory. */
  readonly directory: string;
  readonly outside: string;
  /** The directory of another user, containing `home/canary.txt`. */
  readonly neighbour: string;
}

/** Something dangerous planted in a user's directory, and the paths that lead to it. */
export type Trap = readonly [
  title: string,
  plant: (folders: TrapFolders) => Promise<unknown>,
  paths: readonly string[],
];

const reached = ['home/x', 'home/x/canary.txt', 'home/x/folder/canary.txt', 'home/x/folder/empty'];

const linkTo = (title: string, targetOf: (folders: TrapFolders) => string): Trap => [
  `a link to ${title}`,
  (folders) => symlink(targetOf(folders), join(folders.directory, 'home/x')),
  reached,
];

/** A link that replaces a top-level folder or the user's whole directory. */
const replaceByLink = (folder: string, paths: readonly string[]): Trap => [
  `a link in place of ${folder === '' ? 'the whole directory' : folder}`,
  async ({ directory, outside }) => {
    await rename(join(directory, folder), join(outside, '..', `aside-${Date.now()}`));
    await symlink(outside, join(directory, folder));
  },
  paths,
];

async function plantChain({ directory, outside }: TrapFolders, length: number): Promise<void> {
  const nameOf = (index: number): string => (index === 0 ? 'x' : `x${index}`);
  for (let index = 0; index < length; index++)
    await symlink(nameOf(index + 1), join(directory, 'home', nameOf(index)));
  await symlink(outside, join(directory, 'home', nameOf(length)));
}

async function plantSocket({ directory }: TrapFolders): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(directory, 'home/x'), resolve));
  server.unref();
}

const mknod = (path: string): void =>
  void execFileSync('mknod', [path, 'c', '1', '5'], { stdio: 'ignore' });

/** Whether this process may create devices: only root may, and not everywhere. */
export const mayMakeDevices = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'daycare-mknod-'));
  try {
    mknod(join(folder, 'zero'));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

export const device: Trap = [
  'a device',
  async ({ directory }) => mknod(join(directory, 'home/x')),
  ['home/x', 'home/x/a'],
];

export const traps: readonly Trap[] = [
  linkTo('a file outside', ({ outside }) => `${outside}/canary.txt`),
  linkTo('a folder outside', ({ outside }) => outside),
  linkTo('a folder outside by a relative path', () => '../../../outside'),
  linkTo('a file outside by a relative path', () => '../../../outside/canary.txt'),
  linkTo('the outside with needless dots', () => './/.././../..//outside'),
  linkTo('the outside by way of a folder inside', () => '../home/../../../outside'),
  linkTo('the outside by way of a folder that is missing', () => 'no/../../../../outside'),
  linkTo(
    "the outside by way of the user's directory",
    ({ directory }) => `${directory}/../../outside`,
  ),
  linkTo('a path far above the root', () => `${'../'.repeat(60)}etc`),
  linkTo('its own directory by an absolute path', ({ directory }) => `${directory}/home`),
  linkTo("the user's directory", () => '..'),
  linkTo('the folder of all users', () => '../..'),
  linkTo("a neighbour's home", ({ neighbour }) => `${neighbour}/home`),
  linkTo(
    "a neighbour's home by a relative path",
    ({ neighbour }) => `../../${neighbour.split('/').at(-1)}/home`,
  ),
  linkTo('drafts', () => '../.drafts'),
  linkTo('itself', () => 'x'),
  linkTo('itself through its folder', () => '../home/x'),
  linkTo('a missing file outside', ({ outside }) => `${outside}/none`),
  linkTo('a missing file outside by a relative path', () => '../../../outside/none'),
  linkTo('a missing file inside', () => 'none'),
  ...['root', 'cwd', 'fd', 'fd/0', 'environ', 'exe', 'task', 'mem', 'maps'].map((name) =>
    linkTo(`/proc/self/${name}`, () => `/proc/self/${name}`),
  ),
  ...['/', '/etc/passwd', '/dev/zero', '/dev/stdin', '/sys', '/proc/1/root'].map((path) =>
    linkTo(path, () => path),
  ),
  ...[1, 2, 15, 16, 17, 40].map((length): Trap => [
    `a link to the outside by way of ${length} more links`,
    (folders) => plantChain(folders, length),
    reached,
  ]),
  [
    'two links to each other',
    async ({ directory }) => {
      await symlink('y', join(directory, 'home/x'));
      await symlink('x', join(directory, 'home/y'));
    },
    reached,
  ],
  replaceByLink('home', ['home/canary.txt', 'home/folder', 'home/new.txt', 'home/folder/empty']),
  replaceByLink('skills', ['skills/canary.md', 'skills/folder', 'skills/new.md']),
  replaceByLink('memory', ['memory/canary.md', 'memory/folder/canary.txt']),
  replaceByLink('.drafts', ['home/new.txt']),
  replaceByLink('', ['home/canary.txt', 'skills/canary.md', 'home/new.txt']),
  [
    'a hard link to a file outside',
    ({ directory, outside }) => link(`${outside}/canary.txt`, join(directory, 'home/x')),
    ['home/x', 'home/x/a'],
  ],
  [
    'a link to a hard link to a file outside',
    async ({ directory, outside }) => {
      await link(`${outside}/canary.txt`, join(directory, 'home/y'));
      await symlink('y', join(directory, 'home/x'));
    },
    ['home/x'],
  ],
  [
    'a pipe',
    async ({ directory }) => execFileSync('mkfifo', [join(directory, 'home/x')]),
    ['home/x', 'home/x/a'],
  ],
  ['a socket', plantSocket, ['home/x', 'home/x/a']],
  [
    'a link to a pipe',
    async ({ directory }) => {
      execFileSync('mkfifo', [join(directory, 'home/y')]);
      await symlink('y', join(directory, 'home/x'));
    },
    ['home/x'],
  ],
  [
    'a file in place of home',
    async ({ directory }) => {
      await rm(join(directory, 'home'), { recursive: true });
      await writeFile(join(directory, 'home'), 'text');
    },
    ['home/a', 'home/a/b'],
  ],
];

/** Creates the neighbour's home, with the canary in a file. */
export async function plantNeighbour(neighbour: string): Promise<void> {
  await mkdir(join(neighbour, 'home/folder'), { recursive: true });
  await writeFile(join(neighbour, 'home/canary.txt'), canary);
}
