import { describe, expect, it } from '@jest/globals';
import { AgentLifecycle } from '@daycare/contracts/agent-runtime';
import { parse } from 'yaml';
import { ansiColours, noColours } from '../terminal/colours';
import { toPlain } from './plain';
import { Printer, type Format } from './printer';
import { renderRecord } from './record';
import { safeLine, safeText } from './safe-text';
import { renderTable, tableView, type Column } from './table';
import { renderTree } from './tree';
import { toTime, toWait, toWord } from './words';

const plain = { colours: noColours, width: Infinity };

describe('text rendering', () => {
  const rows = [
    { id: 'a1', name: 'Ada' },
    { id: 'b22', name: '' },
  ];
  const columns: Column<(typeof rows)[number]>[] = [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
  ];

  it('aligns table cells below their titles and shows a dash for an empty cell', () => {
    expect(renderTable(rows, columns, 'none', plain)).toBe('ID   NAME\na1   Ada\nb22  -');
  });

  it('aligns CJK text and emoji in a table by their width on the terminal', () => {
    const wide = [
      { id: '日本', name: 'Ada' },
      { id: '🦊', name: 'Bob' },
    ];
    expect(renderTable(wide, columns, '', plain)).toBe('ID    NAME\n日本  Ada\n🦊    Bob');
  });

  it('shows a message in place of an empty table', () => {
    expect(renderTable([], columns, 'You have none.', plain)).toBe('You have none.');
  });

  it('truncates table lines to the width of the terminal', () => {
    expect(renderTable(rows, columns, '', { ...plain, width: 6 })).toBe('ID   …\na1   …\nb22  -');
  });

  it('lists the entries of a record and omits empty ones', () => {
    const entries = [
      ['id', 'a1'],
      ['note', ''],
      ['prompt', 'one\ntwo'],
    ] as const;
    expect(renderRecord(entries, plain)).toBe('id:     a1\nprompt: one\n        two');
  });

  it('draws a tree with nested branches', () => {
    const children = [{ text: 'b', children: [{ text: 'c' }] }, { text: 'd' }];
    expect(renderTree({ text: 'a', children })).toBe('a\n├─ b\n│  └─ c\n└─ d');
  });

  it('escapes characters that control the terminal', () => {
    expect(safeText('a\u001b[2Jb\r\n\tc\u009b\u202e')).toBe('a\\u001b[2Jb\n\tc\\u009b\\u202e');
    expect(safeLine('one\n two')).toBe('one  two');
  });

  it('shows enum values as words, times to the second, and what an agent is waiting for', () => {
    expect(toWord(AgentLifecycle, AgentLifecycle.ACTIVE)).toBe('active');
    expect(toWord(AgentLifecycle, AgentLifecycle.UNSPECIFIED)).toBe('');
    expect(toTime(new Date('2026-11-16T10:00:00.123Z'))).toBe('2026-11-16T10:00:00Z');
    expect(toWait({ for: 'openai', until: new Date('2026-11-16T14:05:00Z') })).toBe(
      'waiting for openai until 2026-11-16T14:05:00Z',
    );
    expect(toWait(undefined)).toBe('');
  });
});

describe('toPlain', () => {
  it('converts times to strings and oneofs to fields, and keeps every field that is set', () => {
    const message = {
      sequence: 0,
      at: new Date(0),
      record: { $case: 'note', value: { text: '' } },
      files: [{ chunk: Buffer.from('hi') }],
      missing: undefined,
    };
    expect(toPlain(message)).toEqual({
      sequence: 0,
      at: '1970-01-01T00:00:00.000Z',
      note: { text: '' },
      files: [{ chunk: 'aGk=' }],
    });
  });
});

describe('Printer', () => {
  const view = tableView([{ id: 'a' }], [['ID', ({ id }) => id]], 'none');
  const printed = async (
    format: Format,
    how: 'print' | 'printNext',
    terminal: { isTTY?: boolean; columns?: number; noColour?: boolean } = {},
  ): Promise<string> => {
    let text = '';
    const output = { ...terminal, write: (part: string) => (text += part) };
    const printer = new Printer(output, { format, noColour: terminal.noColour ?? false });
    await printer[how](view);
    return text;
  };

  it('prints the complete data as JSON and YAML, and each element of a stream as one line or document', async () => {
    expect(JSON.parse(await printed('json', 'print'))).toEqual([{ id: 'a' }]);
    expect(await printed('json', 'printNext')).toBe('[{"id":"a"}]\n');
    expect(parse(await printed('yaml', 'print'))).toEqual([{ id: 'a' }]);
    expect(await printed('yaml', 'printNext')).toBe('---\n- id: a\n');
  });

  it('uses colours only on a terminal without NO_COLOR', async () => {
    const title = ansiColours.bold('ID');
    expect(await printed('table', 'print')).toBe('ID\na\n');
    expect(await printed('table', 'print', { isTTY: true })).toBe(`${title}\na\n`);
    expect(await printed('table', 'print', { isTTY: true, noColour: true })).toBe('ID\na\n');
    expect(await printed('json', 'print', { isTTY: true })).not.toContain('\u001b');
  });
});
