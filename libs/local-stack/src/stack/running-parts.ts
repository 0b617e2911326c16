import type { ProcessHandle } from '../process/managed-process';
import type { RunFile } from './run-file';
import type { PartName, StackListener } from './stack-event';
import { SupervisedProcess } from '../infra/supervised-process';

/** The running parts of a stack: recorded in the run file, supervised, and reported to the stack's owner. */
export class RunningParts {
  readonly #runFile: RunFile;
  readonly #onEvent: StackListener;
  readonly #parts = new Map<PartName, Pick<SupervisedProcess<ProcessHandle>, 'pid' | 'stop'>>();
  #isClosed = false;

  constructor(runFile: RunFile, onEvent: StackListener) {
    this.#runFile = runFile;
    this.#onEvent = onEvent;
  }

  /** Puts a part under supervision; the caller starts it. Throws once the stack is stopping. */
  supervise<T extends ProcessHandle>(
    part: PartName,
    start: (onSpawn: (child: ProcessHandle) => void) => Promise<T>,
  ): SupervisedProcess<T> {
    if (this.#isClosed) throw new Error('the stack is stopping');
    let exitedMs = 0;
    const supervised = new SupervisedProcess<T>({
      name: part,
      start,
      onSpawn: (child) => this.#record(child),
      onExit: (exit, lastLines, restartInMs) => {
        exitedMs = performance.now();
        this.#onEvent({ type: 'exited', part, exit, lastLines, restartInMs });
      },
      onRestarted: () =>
        this.#onEvent({ type: 'restarted', part, tookMs: performance.now() - exitedMs }),
      onRestartFailed: (error, retryInMs) =>
        this.#onEvent({ type: 'restart-failed', part, error, retryInMs }),
    });
    this.#parts.set(part, supervised);
    return supervised;
  }

  pidOf(part: PartName): number | undefined {
    return this.#parts.get(part)?.pid;
  }

  /** Makes `supervise` throw from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Stops the parts for which `isMember` returns true, all at the same time. */
  async stop(isMember: (part: PartName) => boolean, graceMs: number): Promise<void> {
    const members = [...this.#parts].filter(([part]) => isMember(part)).reverse();
    await Promise.all(
      members.map(async ([part, supervised]) => {
        await supervised.stop(graceMs);
        this.#onEvent({ type: 'stopped', part });
      }),
    );
  }

  #record(child: ProcessHandle): void {
    this.#runFile.record(child);
    void child.exited.then(() => this.#runFile.forget(child.pid));
  }
}
