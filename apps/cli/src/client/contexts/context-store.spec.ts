import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withContext, withoutContext } from './context';
import { ContextStore } from './context-store';

describe('ContextStore', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-contexts-'));
    file = join(folder, 'config', 'config.yaml');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const work = { name: 'work', context: { addresses: { identity: 'h:1' } } };

  it('returns no contexts when there is no file', async () => {
    await expect(new ContextStore(file).read()).resolves.toEqual({ contexts: {} });
  });

  it('stores contexts in a file readable only by its owner, and leaves no other files behind', async () => {
    const store = new ContextStore(file);
    await store.update((before) => ({ ...withContext(before, work), current: 'work' }));
    expect(await store.read()).toEqual({ current: 'work', contexts: { work: work.context } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'config'))).toEqual(['config.yaml']);
  });

  it('keeps every change when many are made concurrently', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
    await Promise.all(
      names.map((name) =>
        new ContextStore(file).update(async (before) => withContext(before, { ...work, name })),
      ),
    );
    const { contexts } = await new ContextStore(file).read();
    expect(Object.keys(contexts).sort()).toEqual([...names].sort());
  });

  it('ignores a lock left behind by a killed process', async () => {
    const store = new ContextStore(file);
    await store.update((before) => withContext(before, work));
    await writeFile(`${file}.lock.2147483646.x`, '');
    await store.update((before) => withoutContext(before, 'work'));
    expect(await store.read()).toEqual({ contexts: {} });
  });

  it('leaves the file unchanged when the change fails', async () => {
    const store = new ContextStore(file);
    await store.update((before) => withContext(before, work));
    const before = await readFile(file, 'utf8');
    const failing = store.update(() => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await readFile(file, 'utf8')).toBe(before);
    await expect(readdir(join(folder, 'config'))).resolves.toEqual(['config.yaml']);
  });

  it('says what to do about a file that is not valid YAML', async () => {
    const broken = join(folder, 'broken.yaml');
    await writeFile(broken, 'contexts: [');
    await expect(new ContextStore(broken).read()).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot use .*broken\.yaml: /),
      hint: expect.stringContaining('daycare login'),
    });
  });
});
