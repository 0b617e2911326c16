import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { followLink, homeFolders, isEntryName, isUserId, parseHomePath } from './home-path';

/** The start of a path, for test titles. */
const shown = (path: string): string => JSON.stringify(path).slice(0, 60);
const segmentsOf = (path: string): readonly string[] | undefined => {
  const parsed = parseHomePath(path);
  return 'segments' in parsed ? parsed.segments : undefined;
};

describe('parseHomePath', () => {
  const valid: [string, string[]][] = [
    ['home', ['home']],
    ['home/a b/c.txt', ['home', 'a b', 'c.txt']],
    ['memory/graph/x.md', ['memory', 'graph', 'x.md']],
    ['apps/cafe\u0301', ['apps', 'caf\u00e9']],
    [`skills/${'a'.repeat(255)}`, ['skills', 'a'.repeat(255)]],
  ];
  const accepted = valid.map(([path, segments]) => [shown(path), path, segments] as const);
  it.each(accepted)('parses the path %s', (_, path, segments) => {
    expect(parseHomePath(path)).toEqual({ segments });
  });

  const invalid: [string, string][] = [
    ['', 'has an empty name'],
    ['home//a', 'has an empty name'],
    ['home/../a', 'must not contain the name ..'],
    ['/home/a', 'must not begin with "/"'],
    ['etc/passwd', 'must begin with'],
    [`home/${'a'.repeat(256)}`, 'has a name longer than 255 bytes'],
    [`home/${'a'.repeat(1_020)}`, 'is longer than 1024 characters'],
    [`home${'/a'.repeat(32)}`, 'is more than 32 names deep'],
    ['home/a\nb', 'has a control, invisible'],
    ['home/a\u202eb', 'has a control, invisible'],
    ['home/\ud800', 'has a control, invisible'],
  ];
  const rejected = invalid.map(([path, problem]) => [shown(path), path, problem] as const);
  it.each(rejected)('explains what is wrong with the path %s', (_, path, problem) => {
    expect(parseHomePath(path)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('accepts no path that could lead outside the user’s tree', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '', '/', '\\', '\0', 'home', 'e\u0301', '\u202e', '\ud83e'),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    const path = fc.array(piece, { maxLength: 40 }).map((pieces) => `home/${pieces.join('/')}`);
    fc.assert(
      fc.property(fc.oneof(path, fc.string({ unit: 'binary' })), (candidate) => {
        const segments = segmentsOf(candidate);
        if (!segments) return;
        expect(homeFolders).toContain(segments[0]);
        expect(segments.length).toBeLessThanOrEqual(32);
        for (const name of segments) {
          expect(isEntryName(name)).toBe(true);
          expect(name).not.toMatch(/^\.{0,2}$|[/\\\p{Cc}\p{Cf}\p{Cs}]/u);
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        }
        expect(segmentsOf(segments.join('/'))).toEqual(segments);
      }),
    );
  });
});

describe('followLink', () => {
  it.each([
    ['b', ['home', 'a', 'b']],
    ['./b', ['home', 'a', 'b']],
    ['../b/c', ['home', 'b', 'c']],
    ['..', ['home']],
    ['../', ['home']],
    ['../../apps', ['apps']],
    ['.', ['home', 'a']],
    ['../..', undefined],
    ['../../..', undefined],
    ['../../../home', undefined],
    ['../../.drafts/x', undefined],
    ['/home/a', undefined],
    ['b/../c', undefined],
    ['b//c', undefined],
    ['', ['home', 'a']],
  ])('resolves the link target %j in home/a to %j', (target, segments) => {
    expect(followLink(['home', 'a'], target)).toEqual(segments);
  });

  it('never resolves a link to a path outside the user’s tree', () => {
    const piece = fc.constantFrom('..', '.', '', 'a', 'home', '/', 'apps');
    const target = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('/'));
    fc.assert(
      fc.property(target, (link) => {
        const segments = followLink(['home', 'a'], link);
        if (segments) expect(segmentsOf(segments.join('/'))).toEqual(segments);
      }),
    );
  });
});

it.each(['', 'a', 'A1', '..', 'a/b', 'a.b', 'a\n', 'a'.repeat(65)])('isUserId rejects %j', (id) => {
  expect(isUserId(id)).toBe(false);
});
