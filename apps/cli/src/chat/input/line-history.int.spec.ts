import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineHistory } from './line-history';

describe('LineHistory', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-lines-'));
    file = join(folder, 'config', 'chat-history');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('restores lines newest first from a file readable only by its owner', async () => {
    const history = new LineHistory(file, 10);
    expect(await history.load()).toEqual([]);
    history.add('first');
    history.add('second');
    await history.saved();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await new LineHistory(file, 10).load()).toEqual(['second', 'first']);
  });

  it('removes the oldest lines from a file that is too long and makes it readable only by its owner', async () => {
    const history = new LineHistory(file, 2);
    history.add('x');
    await history.saved();
    await writeFile(file, '1\n2\n3\n4\n5\n');
    await chmod(file, 0o644);
    expect(await history.load()).toEqual(['5', '4']);
    expect(await readFile(file, 'utf8')).toBe('4\n5\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('works without a history when its file cannot be written', async () => {
    const history = new LineHistory('/dev/null/history', 2);
    history.add('x');
    await history.saved();
    expect(await history.load()).toEqual([]);
  });
});
