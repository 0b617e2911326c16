import type { Logger } from '@daycare/rpc';

/**
 * The order in which a service stops. `quiesce` takes no new work and finishes or hands back what is
 * under way; `release` gives up what others wait for; then calls are drained; `close` cuts
 * connections, the last opened first.
 */
export const stopPhases = ['quiesce', 'release', 'drain', 'close'] as const;
export type StopPhase = (typeof stopPhases)[number];

interface StopStep {
  readonly phase: StopPhase;
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Collects what has to be done at the end, while the service is being built. */
export class StopSequence {
  readonly #steps: StopStep[] = [];

  add(phase: StopPhase, name: string, run: () => Promise<void>): void {
    this.#steps.push({ phase, name, run });
  }

  /** Runs every step in order. A step that fails or hangs is logged and does not keep the rest. */
  async run(log: Logger, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (const phase of stopPhases) {
      const steps = this.#steps.filter((step) => step.phase === phase).reverse();
      for (const step of steps) await runStep(step, deadline, log);
    }
  }
}

async function runStep({ phase, name, run }: StopStep, deadline: number, log: Logger) {
  let timer: NodeJS.Timeout | undefined;
  // Closing connections gets a moment even when draining used up all the time.
  const leftMs = Math.max(deadline - Date.now(), 500);
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${leftMs} ms`)), leftMs);
  });
  try {
    await Promise.race([run(), overdue]);
  } catch (err) {
    log.warn({ err, phase, step: name }, 'a step of the shutdown failed');
  } finally {
    clearTimeout(timer);
  }
}
