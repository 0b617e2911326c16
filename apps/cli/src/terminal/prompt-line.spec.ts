import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { PromptLine } from './prompt-line';

const escapes = /\u001b\[[0-9;]*[A-Za-z]/g;

describe('PromptLine', () => {
  let input: PassThrough;
  let written: string;
  let lines: string[];
  let cancels: boolean[];
  let saves: boolean;
  let prompt: PromptLine;
  beforeEach(() => {
    input = new PassThrough();
    written = '';
    lines = [];
    cancels = [];
    saves = true;
    const output = Object.assign(new PassThrough(), { columns: 40, rows: 10 });
    output.on('data', (bytes: Buffer) => (written += bytes.toString()));
    prompt = new PromptLine({
      input,
      output: output as unknown as WriteStream,
      prompt: '> ',
      history: ['earlier'],
      onLine: (line) => lines.push(line),
      onCancel: (hadText) => cancels.push(hadText),
      onLeave: () => lines.push('(left)'),
      savesLine: () => saves,
    });
    prompt.write('Welcome\n');
  });
  afterEach(() => prompt.close());

  /** Returns the output since the last call, without cursor movements. */
  const newOutput = async (): Promise<string> => {
    await new Promise(setImmediate);
    const seen = written.replace(escapes, '').replaceAll('\r', '');
    written = '';
    return seen;
  };
  const type = async (keys: string): Promise<string> => {
    input.write(keys);
    return newOutput();
  };

  it('keeps the input line below the output, with the typed text', async () => {
    expect(await newOutput()).toBe('Welcome\n> ');
    expect(await type('hal')).toBe('hal');
    prompt.write('News\n');
    expect(await newOutput()).toBe('News\n> hal');
  });

  it('erases a wrapped line from its first row, and does not move up further to redraw it', async () => {
    await type('x'.repeat(60));
    written = '';
    prompt.write('News\n');
    await new Promise(setImmediate);
    // One row up to the start of the line, and no further moves up.
    expect(written.slice(0, written.indexOf('News'))).toBe('\u001b[1A\u001b[1G\u001b[0J');
    expect(written.slice(written.indexOf('News'))).not.toMatch(/\u001b\[\d+A/);
  });

  it('hides typed input while output is unfinished, and shows it afterwards', async () => {
    await newOutput();
    prompt.write('The ans', false);
    expect(await newOutput()).toBe('The ans');
    expect(await type('next\rafter')).toBe('');
    expect(lines).toEqual(['next']);
    prompt.add('Aside\n');
    expect(await newOutput()).toBe('');
    prompt.write('wer\n');
    expect(await newOutput()).toBe('wer\n> next\nAside\n> after');
  });

  it('clears the line on Ctrl-C and reports whether it contained text', async () => {
    await type('hal');
    expect(await type('\u0003')).toBe('^C\n> ');
    expect(prompt.isEmpty).toBe(true);
    await type('\u0003');
    expect(cancels).toEqual([true, false]);
  });

  it('ends the input on Ctrl-D', async () => {
    await type('\u0004');
    expect(lines).toEqual(['(left)']);
  });

  it('keeps a line out of the history while savesLine returns false', async () => {
    await newOutput();
    saves = false;
    prompt.ask('Sure? ');
    expect(await newOutput()).toBe('Sure? ');
    await type('y\r');
    prompt.ask('> ');
    expect(await type('\u001b[A')).toContain('> earlier');
  });
});
