import { spawn, type ChildProcess } from 'node:child_process';
import { cannotStart } from './cannot-start';
import { registerProcess, unregisterProcess } from './live-processes';
import { OutputLog, type LineListener } from './output-log';

const readIntervalMs = 100;

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Gives the child an IPC channel, which is closed when this process ends. */
  readonly ipc?: boolean;
  /** Called with each line that the child has written, shortly afterwards. */
  readonly onLine?: LineListener;
  /** Called with the child as soon as it has a pid, so that it can be recorded. */
  readonly onSpawn?: (child: ProcessHandle) => void;
}

/** A running child process. */
export interface ProcessHandle {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  /** The last lines the child wrote in this run, oldest first. */
  lastLines(): string[];
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the process has exited. */
  stop(graceMs?: number): Promise<ProcessExit>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * One child process in its own process group: Ctrl-C in the terminal reaches only the launcher, which then
 * stops its children in order. The child does not outlive a normal exit of the launcher.
 */
export class ManagedProcess implements ProcessHandle {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  /** How it exited; undefined while it runs. */
  exit: ProcessExit | undefined;
  readonly #child: ChildProcess;
  readonly #log: OutputLog;
  readonly #onLine: LineListener | undefined;

  private constructor(options: ProcessOptions, child: ChildProcess, pid: number, log: OutputLog) {
    this.name = options.name;
    this.pid = pid;
    this.#child = child;
    this.#log = log;
    registerProcess(pid);
    this.#onLine = options.onLine;
    this.exited = this.#waitForExit();
    options.onSpawn?.(this);
  }

  /** Starts the child; rejects when the program cannot be run at all. */
  static async spawn(options: ProcessOptions): Promise<ManagedProcess> {
    const log = new OutputLog(options.logFile);
    const child = spawn(options.command, options.args, {
      env: options.env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd, ...(options.ipc ? (['ipc'] as const) : [])],
    });
    const { pid } = child;
    if (pid !== undefined) return new ManagedProcess(options, child, pid, log);
    const cause = await new Promise<Error>((resolve) => child.once('error', resolve));
    log.close();
    throw cannotStart(
      `${options.name} cannot be run (${options.command}): ${cause.message}`,
      cause,
    );
  }

  /** Passes new output to `onLine` now instead of at the next interval. */
  readOutput(): void {
    if (this.#onLine) this.#log.readNew(this.#onLine);
  }

  lastLines(): string[] {
    return this.#log.lastLines();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(graceMs = 10_000): Promise<ProcessExit> {
    if (this.exit) return this.exit;
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    try {
      return await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }

  async #waitForExit(): Promise<ProcessExit> {
    const reading = this.#onLine && setInterval(() => this.readOutput(), readIntervalMs).unref();
    this.#child.on('error', () => undefined);
    const exit = await new Promise<ProcessExit>((resolve) =>
      this.#child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    clearInterval(reading);
    unregisterProcess(this.pid);
    this.readOutput();
    this.#log.close();
    this.exit = exit;
    return exit;
  }
}

/** Describes how a process exited: `exited with code 1`, `was killed by SIGKILL`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal ? `was killed by ${signal}` : `exited with code ${code ?? 'unknown'}`;
}
