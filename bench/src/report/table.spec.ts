import { describe, expect, it } from '@jest/globals';
import { formatTable } from './table';

describe('formatTable', () => {
  it('makes every column as wide as its widest cell and leans it to its side', () => {
    const table = formatTable(
      [
        { heading: 'what', align: 'left' },
        { heading: 'req/s', align: 'right' },
        { heading: 'note', align: 'left' },
      ],
      [
        ['grpc-echo', '12,345', ''],
        ['get', '7', 'slow'],
      ],
    );
    expect(table.split('\n')).toEqual([
      'what        req/s  note',
      '─────────  ──────  ────',
      'grpc-echo  12,345',
      'get             7  slow',
    ]);
  });

  it('takes a missing cell for an empty one', () => {
    const table = formatTable(
      [
        { heading: 'a', align: 'left' },
        { heading: 'b', align: 'left' },
      ],
      [['x']],
    );
    expect(table).toBe('a  b\n─  ─\nx');
  });
});
