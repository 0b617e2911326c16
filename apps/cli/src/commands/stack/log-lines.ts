import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseLogLine } from '@daycare/local-stack';

export interface LoggedLine {
  readonly file: string;
  readonly line: string;
}

/** How much is read from the end of each file: more than any useful number of lines takes up. */
const maxTailBytes = 4 << 20;
const pollMs = 250;

/** Returns the newest `count` lines of several files together, oldest first. */
export async function newestLines(files: readonly string[], count: number): Promise<LoggedLine[]> {
  const tails = await Promise.all(
    files.map(async (file) => {
      const { size } = await stat(file);
      const { lines } = await readLines(file, Math.max(0, size - maxTailBytes));
      let timeMs = 0;
      // A line without a time, such as one of a stack trace, belongs to the line before it.
      return lines.slice(-count).map((line) => ({
        file,
        line,
        timeMs: (timeMs = timeOf(line) ?? timeMs),
      }));
    }),
  );
  const merged = tails.flat().sort((a, b) => a.timeMs - b.timeMs);
  return merged.slice(-count).map(({ file, line }) => ({ file, line }));
}

/**
 * Yields new lines as they are written; never ends. A file that has become shorter is assumed to have been replaced. A
 * deleted file is followed again after it has been created again.
 */
export async function* followLines(files: readonly string[]): AsyncGenerator<LoggedLine> {
  const positions = new Map<string, number>();
  for (const file of files) positions.set(file, (await stat(file)).size);
  for (;;) {
    for (const file of files) {
      const size = await sizeOf(file);
      const position = positions.get(file) ?? 0;
      const from = size < position ? 0 : position;
      positions.set(file, from);
      if (size === from) continue;
      const added = await readLines(file, from).catch(undefinedIfMissing);
      // The file was deleted after its size was read.
      if (!added) continue;
      positions.set(file, added.end);
      for (const line of added.lines) yield { file, line };
    }
    await delay(pollMs);
  }
}

function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** Reads the complete lines of a file from a position on; returns them and where they end. */
async function readLines(file: string, from: number): Promise<{ lines: string[]; end: number }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(Math.max(0, size - from)),
      position: from,
    });
    const read = buffer.subarray(0, bytesRead);
    const length = read.lastIndexOf('\n') + 1;
    const lines = read.subarray(0, length).toString('utf8').split('\n').slice(0, -1);
    return { lines, end: from + length };
  } finally {
    await handle.close();
  }
}

function timeOf(line: string): number | undefined {
  const fields = parseLogLine(line);
  const time = fields?.['time'] ?? (fields?.['t'] as { $date?: string } | undefined)?.$date;
  const ms = typeof time === 'number' ? time : Date.parse(typeof time === 'string' ? time : '');
  return Number.isNaN(ms) ? undefined : ms;
}
