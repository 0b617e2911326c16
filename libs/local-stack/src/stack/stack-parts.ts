import type { ProcessHandle } from '../process/managed-process';
import type { RunFile } from './run-file';
import type { PartName, StackListener } from './stack-event';
import { Supervised } from './supervised';

/** Everything a stack has running: recorded in the run file, watched, and reported to the owner. */
export class StackParts {
  readonly #runFile: RunFile;
  readonly #onEvent: StackListener;
  readonly #parts = new Map<PartName, Pick<Supervised<ProcessHandle>, 'pid' | 'stop'>>();
  #stopping = false;

  constructor(runFile: RunFile, onEvent: StackListener) {
    this.#runFile = runFile;
    this.#onEvent = onEvent;
  }

  /** Puts a part under supervision; the caller starts it. Refused once the stack is stopping. */
  supervise<T extends ProcessHandle>(
    part: PartName,
    start: (onSpawn: (child: ProcessHandle) => void) => Promise<T>,
  ): Supervised<T> {
    if (this.#stopping) throw new Error('the stack is stopping');
    let exitedMs = 0;
    const supervised = new Supervised<T>({
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

  /** From now on nothing new is supervised. */
  refuseMore(): void {
    this.#stopping = true;
  }

  /** Stops these parts together, the last one started first. */
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
