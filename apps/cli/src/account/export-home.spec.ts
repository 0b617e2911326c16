import { AppError, type ErrorCode } from '@daycare/api';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { DaycareError } from '@daycare/client/errors';
import { exportHome } from './export-home';
import type { AgentTools } from './tools';

const printed: string[] = [];
beforeEach(() => {
  jest.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  jest.restoreAllMocks();
  printed.length = 0;
});

/** Returns the tools of an agent with one file. Reading it returns `part`, or fails if `part` is an error code. */
function toolsFor(path: string, part: object | ErrorCode): AgentTools {
  return {
    list: () => Promise.resolve([{ path, kind: 'file' }] as never),
    call: () =>
      typeof part === 'string'
        ? Promise.reject(new DaycareError(new AppError(part, 'The file is not text')))
        : Promise.resolve(part as never),
  };
}

async function exportFile(path: string, part: object | ErrorCode): Promise<[string, string][]> {
  const written: [string, string][] = [];
  await exportHome(toolsFor(path, part), async (...file) => void written.push(file));
  return written;
}

it('an export says which file is incomplete because a line was truncated', async () => {
  const written = await exportFile('home/log.txt', { text: 'long', isTruncated: true });
  expect(written).toEqual([['home/log.txt', 'long']]);
  expect(printed).toEqual(['home/log.txt is incomplete: a line is too long and was truncated.']);
});

it('an export names the files that it skips, without passing control characters to the terminal', async () => {
  expect(await exportFile('home/\u001b[2J', 'FAILED_PRECONDITION')).toEqual([]);
  expect(printed).toEqual(['Skipped home/\\u001b[2J: The file is not text.']);
});

it('when agent-runtime is unavailable, an export fails instead of skipping files', async () => {
  await expect(exportFile('home/a.txt', 'UNAVAILABLE')).rejects.toThrow('not text');
  expect(printed).toEqual([]);
});
