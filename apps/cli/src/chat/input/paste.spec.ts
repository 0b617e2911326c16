import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { maxPaste, pasteFilter, unfoldLine } from './paste';

function type(...chunks: string[]): { keys: string; long: string[] } {
  const input = new PassThrough();
  const long: string[] = [];
  const filter = pasteFilter(input as unknown as ReadStream, {
    onLongPaste: (text) => long.push(text),
  });
  for (const chunk of chunks) input.write(chunk);
  return { keys: ((filter.read() as Buffer | null) ?? '').toString(), long };
}

describe('pasteFilter', () => {
  it('passes typed keys on unchanged', () => {
    expect(type('a\r', '\u001b[A')).toEqual({ keys: 'a\r\u001b[A', long: [] });
  });

  it('keeps pasted text on one line, and unfoldLine restores its line breaks', () => {
    const { keys } = type('x\u001b[200~one\r\ntwo\u001b[201~\r');
    expect(keys).toBe('xone⏎two\r');
    expect(unfoldLine('one⏎two')).toBe('one\ntwo');
  });

  it('recognises paste markers that are split across chunks, and drops a line break at the end of the pasted text', () => {
    expect(type('\u001b[2', '00~a\n\u001b[20', '1~b').keys).toBe('ab');
  });

  it('replaces control characters in pasted text with spaces, so that they do not act as keys', () => {
    expect(type('\u001b[200~a\u0003b\u001b[A\u001b[201~').keys).toBe('a b [A');
  });

  it('calls onLongPaste with pasted text that is too long for the line', () => {
    const text = `${'x'.repeat(maxPaste)}\nend`;
    expect(type(`\u001b[200~${text}\u001b[201~`)).toEqual({ keys: '', long: [text] });
  });
});
