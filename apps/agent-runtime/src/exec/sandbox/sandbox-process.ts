import { spawn, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '@daycare/api';
import type { KilledBy, ProgramEnd } from '../domain/program-end';
import { BoundedOutput } from './bounded-output';
import {
  startedDescriptor,
  sandboxArguments,
  statusDescriptor,
  type SandboxLimits,
  type SystemFolder,
} from './sandbox-command';

export interface Program {
  readonly command: string;
  /** The user's own directory; only the folders that programs may see are mounted. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly network: boolean;
  /** Kills the program when aborted; the run then rejects. */
  readonly signal: AbortSignal;
  /** Called about once a second; the program is killed when there is no room left for its files. */
  readonly hasRoom: () => Promise<boolean>;
  /** Called right before the program starts, when its folders are ready. */
  readonly onReady?: () => Promise<void>;
}

/** How programs run on this machine. */
export interface SandboxSetup {
  readonly system: readonly SystemFolder[];
  /** The id of the user that programs run as when the service is root; undefined for the service's own user. */
  readonly uid: number | undefined;
  /** Descriptors that must not reach a program. */
  readonly inherited: readonly number[];
  readonly limits: SandboxLimits;
  /** How much of each output stream is returned. */
  readonly maxReturnedBytes: number;
  /** How much a program may print in total. */
  readonly maxOutputBytes: number;
  readonly memoryCheckMs: number;
  readonly quotaCheckMs: number;
}

/** Starts bubblewrap with a program; the user's folders may be closed afterwards. */
export function startProcess(
  setup: SandboxSetup,
  program: Program,
  folders: readonly FileHandle[],
): SandboxProcess {
  try {
    return new SandboxProcess(spawnBubblewrap(setup, program, folders), setup);
  } catch (error) {
    throw notStarted(error);
  }
}

/** Passed to programs in place of inherited descriptors, so that they cannot use the files behind them. */
const devNull = openSync('/dev/null', 'r');

function spawnBubblewrap(
  setup: SandboxSetup,
  program: Program,
  folders: readonly FileHandle[],
): ChildProcess {
  const { command, network } = program;
  const stdio: (number | 'pipe' | 'ignore' | undefined)[] = [
    'ignore',
    'pipe',
    'pipe',
    ...folders.map(({ fd }) => fd),
    'pipe',
    'pipe',
  ];
  for (const inherited of setup.inherited) stdio[inherited] = devNull;
  const child = spawn('bwrap', sandboxArguments({ ...setup, command, network }), {
    stdio: Array.from(stdio, (entry) => entry ?? 'ignore'),
    cwd: '/',
    // Not even bubblewrap gets the service's environment: a program can read the environment of the sandbox's first
    // process.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    ...(setup.uid === undefined ? {} : { uid: setup.uid, gid: setup.uid }),
  });
  // Callers that wait for the end also get the error; without this listener it would crash the service.
  child.on('error', () => undefined);
  return child;
}

/** A running program: its output, and the ways to end it. */
export class SandboxProcess {
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  #status = '';
  #hasStarted = false;
  #bytes = 0;
  #failure: Error | undefined;
  killedBy: KilledBy | undefined;

  constructor(
    readonly child: ChildProcess,
    { maxReturnedBytes, maxOutputBytes }: SandboxSetup,
  ) {
    const count = (bytes: number): void => {
      this.#bytes += bytes;
      if (this.#bytes > maxOutputBytes) this.kill('output');
    };
    this.stdout = new BoundedOutput(child.stdout, maxReturnedBytes, count);
    this.stderr = new BoundedOutput(child.stderr, maxReturnedBytes, count);
    child.stdio[statusDescriptor]?.on(
      'data',
      (chunk: Buffer) => (this.#status += chunk.toString()),
    );
    child.stdio[startedDescriptor]?.on('data', () => (this.#hasStarted = true));
  }

  /** The process id, on the host, of the sandbox's first process; undefined until it is known. */
  get pid(): number | undefined {
    return this.#numberOf('child-pid');
  }

  kill(killedBy: KilledBy): void {
    this.killedBy ??= killedBy;
    this.#end();
  }

  fail(failure: unknown): void {
    this.#failure ??= failure instanceof Error ? failure : new Error('aborted');
    this.#end();
  }

  result(): ProgramEnd {
    if (this.#failure) throw this.#failure;
    const { stdout, stderr, killedBy } = this;
    const exitCode = this.#numberOf('exit-code');
    if (!killedBy && !this.#hasStarted)
      throw notStarted(new Error(stderr.text.trim() || 'bwrap exited without any output'));
    if (!killedBy && exitCode === undefined)
      throw new AppError(
        'INTERNAL',
        'The sandbox ended unexpectedly; the program may have run partially',
      );
    return {
      exitCode: killedBy ? undefined : exitCode,
      killedBy,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutCut: stdout.wasTruncated,
      stderrCut: stderr.wasTruncated,
    };
  }

  /** Killing the first process ends the whole sandbox; bubblewrap keeps running to reap that process. */
  #end(): void {
    const { child, pid } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  }

  #numberOf(name: string): number | undefined {
    const found = new RegExp(`"${name}": (\\d+)`).exec(this.#status)?.[1];
    return found === undefined ? undefined : Number(found);
  }
}

/** Returns the error for a program that never started. */
export function notStarted(cause: unknown): AppError {
  return new AppError('INTERNAL', 'The sandbox could not be started', {}, { cause });
}
