import { describe, expect, it } from '@jest/globals';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followLines, newestLines } from './log-lines';

const newFile = async (...lines: string[]): Promise<string> => {
  const file = join(await mkdtemp(join(tmpdir(), 'daycare-logs-')), 'service.log');
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  return file;
};
const at = (time: number, msg: string): string => JSON.stringify({ time, msg });

describe('log lines', () => {
  it('the newest lines of several files are merged by time, and a stack trace stays after its line', async () => {
    const first = await newFile(at(1, 'a'), at(4, 'd'), '  at a stack trace');
    const second = await newFile(at(2, 'b'), at(3, 'c'), at(5, 'e'));
    const lines = await newestLines([first, second], 4);
    expect(lines.map(({ line }) => line)).toEqual([
      at(3, 'c'),
      at(4, 'd'),
      '  at a stack trace',
      at(5, 'e'),
    ]);
  });

  it('a file is followed while it is written to, replaced by a shorter one, deleted and created again', async () => {
    const [file, other] = [await newFile('old'), await newFile()];
    const followed = followLines([file, other]);
    const next = async (): Promise<string> => (await followed.next()).value.line as string;
    const first = next();
    await appendFile(file, 'appended\nmore\n');
    expect([await first, await next()]).toEqual(['appended', 'more']);
    const second = next();
    await writeFile(file, 'short\n');
    expect(await second).toBe('short');
    await rm(file);
    // Between two new lines of the other file, all files are polled. So after its second line, the poll has found the
    // first file missing.
    for (const line of ['one', 'two']) {
      await appendFile(other, `${line}\n`);
      expect(await next()).toBe(line);
    }
    const third = next();
    await writeFile(file, 'created\n');
    expect(await third).toBe('created');
    await followed.return(undefined);
  });
});
