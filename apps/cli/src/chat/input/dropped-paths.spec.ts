import { describe, expect, it } from '@jest/globals';
import { droppedPaths } from './dropped-paths';

const files = new Set(['/tmp/a.png', '/tmp/my photo.png', './b.txt']);
const find = (line: string) => droppedPaths(line, (path) => files.has(path));

describe('droppedPaths', () => {
  it.each([
    ['/tmp/a.png', ['/tmp/a.png']],
    [" '/tmp/my photo.png' ", ['/tmp/my photo.png']],
    ['/tmp/my\\ photo.png ./b.txt', ['/tmp/my photo.png', './b.txt']],
    ['file:///tmp/my%20photo.png', ['/tmp/my photo.png']],
  ])('finds the files in %j', (line, paths) => {
    expect(find(line)).toEqual(paths);
  });

  it.each(['what is /tmp/a.png', '/help', '/tmp/missing.png', 'a.png', ''])(
    'finds no files in %j',
    (line) => {
      expect(find(line)).toEqual([]);
    },
  );
});
