import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { lowerProcessPriority } from '../precedence';
import { flood, type FloodFigures, type FloodOptions } from './flood-caller';

/** The option that makes the program flood and do nothing else. */
export const floodOption = '--flood-process';

/** A flood that runs in a process of its own. */
export interface RunningFlood {
  /** Ends the flood; resolves to its figures. */
  stop(): Promise<FloodFigures>;
}

/**
 * Floods from a process of its own, as another machine would: it shares neither connections nor a thread with the users
 * whose calls are measured. Resolves once the flood has begun.
 */
export async function startFlood(options: FloodOptions): Promise<RunningFlood> {
  const program = [process.argv[1] ?? '', floodOption];
  const child = spawn(process.execPath, program, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  // A flood from another machine would not take CPU time from the services.
  if (child.pid !== undefined) await lowerProcessPriority(child.pid);
  // The options contain a credential, so they are not arguments, which every user of the machine can read.
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

/** Runs in the flooding process: reads the options, floods until its input ends, then prints the figures. */
export async function runFloodProcess(): Promise<void> {
  const ending = new AbortController();
  const input = createInterface({ input: process.stdin });
  const [options] = (await once(input, 'line')) as [string];
  input.once('close', () => ending.abort());
  process.stdout.write('started\n');
  const figures = await flood(JSON.parse(options) as FloodOptions, ending.signal);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
