import type { ProcessExit, ProcessHandle } from '@daycare/local-stack';

/** A process that a test can kill, freeze and restart. */
export class Restartable<T extends ProcessHandle> {
  readonly #start: () => Promise<T>;
  #current: T;

  private constructor(start: () => Promise<T>, current: T) {
    this.#start = start;
    this.#current = current;
  }

  /** `start` must start the process at the same address each time. */
  static async start<T extends ProcessHandle>(start: () => Promise<T>): Promise<Restartable<T>> {
    return new Restartable(start, await start());
  }

  get current(): T {
    return this.#current;
  }

  get pid(): number {
    return this.#current.pid;
  }

  /** The last lines that the process wrote, oldest first. */
  lastLines(): string[] {
    return this.#current.lastLines();
  }

  /** Sends a signal and does not wait for its effect. */
  signal(signal: NodeJS.Signals): void {
    this.#current.kill(signal);
  }

  /** kill -9; resolves when the process has exited. */
  async kill(): Promise<void> {
    this.#current.kill('SIGKILL');
    await this.#current.exited;
  }

  /** Freezes the process: it keeps its connections but does not respond until `resume`. */
  pause(): void {
    this.#current.kill('SIGSTOP');
  }

  resume(): void {
    this.#current.kill('SIGCONT');
  }

  /** Shuts the process down if it is still running, then starts it at the same address. */
  async restart(): Promise<void> {
    await this.stop();
    this.#current = await this.#start();
  }

  /** Shuts the process down; kills it when that takes longer than `graceMs`. */
  async stop(graceMs?: number): Promise<ProcessExit> {
    this.resume();
    return this.#current.stop(graceMs);
  }
}
