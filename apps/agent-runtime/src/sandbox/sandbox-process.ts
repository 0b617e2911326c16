import { spawn, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '@daycare/errors';
import type { KilledBy, ProgramEnd } from '../domain/program-end';
import { KeptOutput } from './kept-output';
import {
  begunDescriptor,
  sandboxArguments,
  statusDescriptor,
  type SandboxLimits,
  type SystemFolder,
} from './sandbox-command';

export interface Program {
  readonly command: string;
  /** The user's own directory; of it, only the folders that programs may see are shown. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly network: boolean;
  /** Ends the program; the run then rejects. */
  readonly signal: AbortSignal;
  /** Asked about once a second; the program is killed when there is none left. */
  readonly hasRoom: () => Promise<boolean>;
}

/** How programs are run here. */
export interface SandboxSetup {
  readonly system: readonly SystemFolder[];
  /** Whom programs run as when the service is root; undefined for whom it runs as itself. */
  readonly uid: number | undefined;
  /** Descriptors that must not reach a program. */
  readonly inherited: readonly number[];
  readonly limits: SandboxLimits;
  /** How much of either output is handed back. */
  readonly keptBytes: number;
  /** How much a program may say in all. */
  readonly outputBytes: number;
  readonly watchMemoryMs: number;
  readonly watchRoomMs: number;
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

/** What a program gets to read in the place of a file that is not for it. */
const nothing = openSync('/dev/null', 'r');

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
  for (const inherited of setup.inherited) stdio[inherited] = nothing;
  const child = spawn('bwrap', sandboxArguments({ ...setup, command, network }), {
    stdio: Array.from(stdio, (entry) => entry ?? 'ignore'),
    cwd: '/',
    // Not even bubblewrap gets the service's: a program can read those of the first process.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    ...(setup.uid === undefined ? {} : { uid: setup.uid, gid: setup.uid }),
  });
  // Whoever waits for the end hears of it too; with nobody there yet it would end the service.
  child.on('error', () => undefined);
  return child;
}

/** A program under way: what it says, and the ways to end it. */
export class SandboxProcess {
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
  #status = '';
  #hasBegun = false;
  #bytes = 0;
  #failure: Error | undefined;
  killedBy: KilledBy | undefined;

  constructor(
    readonly child: ChildProcess,
    { keptBytes, outputBytes }: SandboxSetup,
  ) {
    const count = (bytes: number): void => {
      this.#bytes += bytes;
      if (this.#bytes > outputBytes) this.kill('output');
    };
    this.stdout = new KeptOutput(child.stdout, keptBytes, count);
    this.stderr = new KeptOutput(child.stderr, keptBytes, count);
    child.stdio[statusDescriptor]?.on(
      'data',
      (chunk: Buffer) => (this.#status += chunk.toString()),
    );
    child.stdio[begunDescriptor]?.on('data', () => (this.#hasBegun = true));
  }

  /** The first process of the sandbox, as seen from here; undefined until it is known. */
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
    if (!killedBy && !this.#hasBegun)
      throw notStarted(new Error(stderr.text.trim() || 'bwrap ended without a word'));
    if (!killedBy && exitCode === undefined)
      throw new AppError('INTERNAL', 'The sandbox broke off; the program may have run in part');
    return {
      exitCode: killedBy ? undefined : exitCode,
      killedBy,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutCut: stdout.wasCut,
      stderrCut: stderr.wasCut,
    };
  }

  /** With its first process the whole sandbox goes, and bubblewrap is there to see it off. */
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

/** Nothing of a program has run. */
export function notStarted(cause: unknown): AppError {
  return new AppError('INTERNAL', 'The sandbox could not be started', {}, { cause });
}
