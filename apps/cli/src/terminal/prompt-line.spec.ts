import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { PromptLine } from './prompt-line';

const escapes = /\u001b\[[0-9;]*[A-Za-z]/g;

describe('the line on which a person types', () => {
  let input: PassThrough;
  let written: string;
  let lines: string[];
  let cancels: boolean[];
  let keeps: boolean;
  let prompt: PromptLine;
  beforeEach(() => {
    input = new PassThrough();
    written = '';
    lines = [];
    cancels = [];
    keeps = true;
    const output = Object.assign(new PassThrough(), { columns: 40, rows: 10 });
    output.on('data', (bytes: Buffer) => (written += bytes.toString()));
    prompt = new PromptLine({
      input: input as unknown as ReadStream,
      output: output as unknown as WriteStream,
      prompt: '> ',
      history: ['earlier'],
      onLine: (line) => lines.push(line),
      onCancel: (hadText) => cancels.push(hadText),
      onLeave: () => lines.push('(left)'),
      keepsLine: () => keeps,
    });
    prompt.write('Welcome\n');
  });
  afterEach(() => prompt.close());

  /** What stands there since the last look, without what moves the cursor. */
  const look = async (): Promise<string> => {
    await new Promise(setImmediate);
    const seen = written.replace(escapes, '').replaceAll('\r', '');
    written = '';
    return seen;
  };
  const type = async (keys: string): Promise<string> => {
    input.write(keys);
    return look();
  };

  it('stands below what is written, with what has been typed', async () => {
    expect(await look()).toBe('Welcome\n> ');
    expect(await type('hal')).toBe('hal');
    prompt.write('News\n');
    expect(await look()).toBe('News\n> hal');
  });

  it('goes out of the way row by row, and comes back in whole', async () => {
    await type('x'.repeat(60));
    written = '';
    prompt.write('News\n');
    await new Promise(setImmediate);
    // One row up to the beginning of the line; then nothing but forward.
    expect(written.slice(0, written.indexOf('News'))).toBe('\u001b[1A\u001b[1G\u001b[0J');
    expect(written.slice(written.indexOf('News'))).not.toMatch(/\u001b\[\d+A/);
  });

  it('is taken unseen while something unfinished stands there, and shown afterwards', async () => {
    await look();
    prompt.write('The ans', false);
    expect(await look()).toBe('The ans');
    expect(await type('next\rafter')).toBe('');
    expect(lines).toEqual(['next']);
    prompt.add('Aside\n');
    expect(await look()).toBe('');
    prompt.write('wer\n');
    expect(await look()).toBe('wer\n> next\nAside\n> after');
  });

  it('is emptied by Ctrl-C', async () => {
    await type('hal');
    expect(await type('\u0003')).toBe('^C\n> ');
    expect(prompt.isEmpty).toBe(true);
    await type('\u0003');
    expect(cancels).toEqual([true, false]);
  });

  it('is left by Ctrl-D', async () => {
    await type('\u0004');
    expect(lines).toEqual(['(left)']);
  });

  it('can be asked for something else, which does not become one of the earlier lines', async () => {
    await look();
    keeps = false;
    prompt.ask('Sure? ');
    expect(await look()).toBe('Sure? ');
    await type('y\r');
    prompt.ask('> ');
    expect(await type('\u001b[A')).toContain('> earlier');
  });
});
