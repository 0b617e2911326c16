import { describe, expect, it } from '@jest/globals';
import { formatTable } from './format-table';

describe('formatTable', () => {
  it('makes each column as wide as its widest cell and aligns cells to the configured side', () => {
    const table = formatTable(
      [{ heading: 'what' }, { heading: 'req/s', align: 'right' }, { heading: 'note' }],
      [
        ['grpc-echo', '12,345', ''],
        ['get', '7', 'slow'],
      ],
      { hasRule: true },
    );
    expect(table.split('\n')).toEqual([
      'what        req/s  note',
      '─────────  ──────  ────',
      'grpc-echo  12,345',
      'get             7  slow',
    ]);
  });

  it('treats a missing cell as an empty one', () => {
    const columns = [{ heading: 'a' }, { heading: 'b' }];
    expect(formatTable(columns, [['x']], { hasRule: true })).toBe('a  b\n─  ─\nx');
  });

  it('aligns CJK text, emoji and combining characters by the number of columns they take up', () => {
    const columns = [{ heading: 'NAME' }, { heading: 'N', align: 'right' as const }];
    const rows = [
      ['日本語', '1'],
      ['👩‍👩‍👧 fox', '22'],
      ['cafe\u0301', '3'],
    ];
    expect(formatTable(columns, rows).split('\n')).toEqual([
      'NAME     N',
      '日本語   1',
      '👩‍👩‍👧 fox  22',
      'cafe\u0301     3',
    ]);
  });

  it('truncates every line to the maximum width and paints the heading line', () => {
    const columns = [{ heading: 'ID' }, { heading: 'NAME' }];
    const options = { maxWidth: 6, paintHeadings: (line: string) => `<${line}>` };
    expect(formatTable(columns, [['a1', 'Ada']], options)).toBe('<ID  N…>\na1  A…');
  });

  it('truncates the widest shrinkable columns first, then lines that are still too long', () => {
    const columns = [
      { heading: 'ID' },
      { heading: 'NAME', canShrink: true },
      { heading: 'TEXT', canShrink: true },
      { heading: 'AGE' },
    ];
    const rows = [['k2j9x0ab', 'a rather long name', 'a text that is longer than the name', '3m']];
    expect(formatTable(columns, rows, { maxWidth: 48 }).split('\n')).toEqual([
      'ID        NAME              TEXT             AGE',
      'k2j9x0ab  a rather long n…  a text that is…  3m',
    ]);
    expect(formatTable(columns, rows, { maxWidth: 30 }).split('\n')[1]).toBe(
      'k2j9x0ab  a rather …  a text …',
    );
  });
});
