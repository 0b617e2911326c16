import { backoffMs, pause } from '@daycare/async';
import type { ProcessExit, ProcessHandle } from '../process/managed-process';

const backoff = { firstMs: 100, maxMs: 5_000 };
/** A process that ran longer than this was healthy, so it is restarted without a long delay. */
const stableMs = 30_000;

export interface SupervisedOptions<T extends ProcessHandle> {
  readonly name: string;
  /** Starts the process, each time at the same address. Must call `onSpawn` with the child. */
  readonly start: (onSpawn: (child: ProcessHandle) => void) => Promise<T>;
  readonly onSpawn: (child: ProcessHandle) => void;
  readonly onExit: (exit: ProcessExit, lastLines: readonly string[], restartInMs: number) => void;
  readonly onRestarted: (running: T) => void;
  readonly onRestartFailed: (error: unknown, retryInMs: number) => void;
}

/** Keeps one process running from its first successful start until `stop`. */
export class SupervisedProcess<T extends ProcessHandle> {
  readonly name: string;
  readonly #options: SupervisedOptions<T>;
  readonly #stopping = new AbortController();
  #child: ProcessHandle | undefined;
  #starting: Promise<unknown> | undefined;
  #supervision: Promise<void> | undefined;
  #quickExits = 0;

  constructor(options: SupervisedOptions<T>) {
    this.name = options.name;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the process for the first time; a failure is not retried. */
  async start(): Promise<T> {
    const starting = this.#launch();
    this.#starting = starting;
    const running = await starting;
    this.#supervision = this.#supervise(running);
    return running;
  }

  /** Stops the process for good, even if it is starting or about to be restarted. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#child?.stop(graceMs);
    await this.#starting?.catch(() => undefined);
    await this.#supervision;
  }

  async #launch(): Promise<T> {
    return this.#options.start((child) => {
      this.#child = child;
      this.#options.onSpawn(child);
      if (this.#stopping.signal.aborted) child.kill('SIGKILL');
    });
  }

  async #supervise(first: T): Promise<void> {
    let running: T | undefined = first;
    while (running) {
      const startedMs = performance.now();
      const exit = await running.exited;
      if (this.#stopping.signal.aborted) return;
      this.#quickExits = performance.now() - startedMs > stableMs ? 0 : this.#quickExits + 1;
      this.#options.onExit(exit, running.lastLines(), this.#backoffMs());
      running = await this.#restart();
    }
  }

  /** Retries until the process is running again; returns undefined if `stop` is called first. */
  async #restart(): Promise<T | undefined> {
    while (await this.#pause()) {
      try {
        const running = await this.#launch();
        this.#options.onRestarted(running);
        return running;
      } catch (error) {
        this.#quickExits += 1;
        if (this.#stopping.signal.aborted) return undefined;
        this.#options.onRestartFailed(error, this.#backoffMs());
      }
    }
    return undefined;
  }

  async #pause(): Promise<boolean> {
    const { signal } = this.#stopping;
    await pause(this.#backoffMs(), signal);
    return !signal.aborted;
  }

  #backoffMs(): number {
    return backoffMs(this.#quickExits, backoff);
  }
}
