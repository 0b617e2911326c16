import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { flood, type FloodFigures, type FloodOptions } from './flood-caller';

/** The option that makes the program flood and do nothing else. */
export const floodOption = '--flood-process';

/** A flood from a process of its own. */
export interface RunningFlood {
  /** Ends it. */
  stop(): Promise<FloodFigures>;
}

/**
 * Floods from a process of its own, as another machine would: neither its connection nor its thread is shared
 * with the users whose calls are measured. Resolves once it has begun.
 */
export async function startFlood(options: FloodOptions): Promise<RunningFlood> {
  const program = [process.argv[1] ?? '', floodOption];
  // In a session of its own: where the kernel groups processes by session, priorities count within a group only.
  const child = spawn(process.execPath, program, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  // Not among the arguments, which every user of the machine can read.
  child.stdin.write(`${JSON.stringify(options)}\n`);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async stop() {
      child.stdin.end();
      const { value = '' } = (await lines.next()) as { value?: string };
      return JSON.parse(value) as FloodFigures;
    },
  };
}

const lowestPriority = 19;

/** Another machine would not take the time of the services' processors. */
function giveWayToOthers(): void {
  setPriority(lowestPriority);
  try {
    writeFileSync('/proc/self/autogroup', String(lowestPriority), { flag: 'r+' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** What that process does: reads its options, floods until its input ends, then prints its figures. */
export async function runFloodProcess(): Promise<void> {
  giveWayToOthers();
  const ending = new AbortController();
  const input = createInterface({ input: process.stdin });
  const [options] = (await once(input, 'line')) as [string];
  input.once('close', () => ending.abort());
  process.stdout.write('started\n');
  const figures = await flood(JSON.parse(options) as FloodOptions, ending.signal);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
