import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, startTarget, type TestTarget } from '../../test-support/raw-http';
import { TestEdges, type TestEdge } from '../../test-support/test-edge';

let edges: TestEdges;
let site: TestEdge;
let usersDir: string;
let home: string;
const targets: TestTarget[] = [];

beforeAll(async () => {
  usersDir = await mkdtemp(join(tmpdir(), 'daycare-edge-'));
  home = join(usersDir, 'u1', 'home');
  await mkdir(join(home, 'run'), { recursive: true });
  await mkdir(join(usersDir, 'u2', 'home'), { recursive: true });
  await listen('mine', join(home, 'run', 'web.sock'));
  await listen('theirs', join(usersDir, 'u2', 'home', 'web.sock'));
  await listen('outside', join(usersDir, 'web.sock'));
  edges = await TestEdges.open();
  site = await edges.start({ usersDir });
});
afterAll(async () => {
  await edges.close();
  await Promise.all(targets.map((target) => target.close()));
  await rm(usersDir, { recursive: true });
});

async function listen(name: string, path: string): Promise<void> {
  targets.push(await startTarget((_, response) => void response.end(name), path));
}

/** Returns the response that a visitor gets from the socket at that path. */
async function visit(path: string): Promise<string> {
  const exposed = await site.expose({ kind: 'unix', path });
  const { status, body } = await ask(site.port, exposed.path);
  return status === 200 ? body : String(status);
}

describe('a socket target', () => {
  it('a socket inside the home is reached, even if its path is longer than the system allows for sockets', async () => {
    expect(await visit('run/web.sock')).toBe('mine');
    const names = Array.from({ length: 8 }, () => 'x'.repeat(60));
    await mkdir(join(home, ...names), { recursive: true });
    await rename(join(home, 'run', 'web.sock'), join(home, ...names, 'web.sock'));
    expect(await visit([...names, 'web.sock'].join('/'))).toBe('mine');
    await rename(join(home, ...names, 'web.sock'), join(home, 'run', 'web.sock'));
  });

  it.each([
    ['a link to another user’s socket', 'link1', '../../u2/home/web.sock'],
    ['a link to a socket outside the home directories', 'link2', '../../web.sock'],
    ['a link to one’s own socket', 'link3', 'run/web.sock'],
  ])('a socket is not reached through %s', async (_, name, to) => {
    await symlink(to, join(home, name));
    expect(await visit(name)).toBe('502');
  });

  it('a socket is not reached through a directory that is a symbolic link', async () => {
    await symlink('../../u2/home', join(home, 'way'));
    expect(await visit('way/web.sock')).toBe('502');
    await rename(join(home, 'run'), join(home, 'moved'));
    await symlink(join(usersDir, 'u2', 'home'), join(home, 'run'));
    expect(await visit('run/web.sock')).toBe('502');
    await rm(join(home, 'run'));
    await rename(join(home, 'moved'), join(home, 'run'));
  });

  it('another user’s socket is never reached, however quickly a directory is swapped for a link', async () => {
    const [swapped, real] = [join(home, 'swapped'), join(home, 'real')];
    await mkdir(swapped);
    await listen('mine', join(swapped, 'web.sock'));
    const { path } = await site.expose({ kind: 'unix', path: 'swapped/web.sock' });
    const swap = { isOver: false };
    const swapping = (async () => {
      while (!swap.isOver) {
        await rename(swapped, real);
        await symlink(join(usersDir, 'u2', 'home'), swapped);
        await rm(swapped);
        await rename(real, swapped);
      }
    })();
    const bodies = new Set<string>();
    for (let visits = 0; visits < 200; visits++) bodies.add((await ask(site.port, path)).body);
    swap.isOver = true;
    await swapping;
    for (const body of bodies) expect(['Bad Gateway\n', 'mine']).toContain(body);
  });

  it('a socket target is refused when it is not a socket or does not exist', async () => {
    await writeFile(join(home, 'file'), 'hello');
    expect(await visit('file')).toBe('502');
    expect(await visit('run')).toBe('502');
    expect(await visit('missing/web.sock')).toBe('502');
  });

  it('a socket target cannot name another user’s socket', async () => {
    for (const path of ['../../u2/home/web.sock', '/etc/web.sock', 'run/../../../web.sock'])
      await expect(site.expose({ kind: 'unix', path })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
  });

  it('a socket target can be neither exposed nor reached without access to home directories', async () => {
    const blind = await edges.start();
    await expect(blind.expose({ kind: 'unix', path: 'run/web.sock' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    const { path } = await site.expose({ kind: 'unix', path: 'run/web.sock' });
    expect(await ask(blind.port, path)).toMatchObject({ status: 502 });
  });
});
