import { withTimeout } from '@daycare/async';
import type { Logger } from '@daycare/rpc';

/**
 * The order in which a service stops. `quiesce` stops accepting work and finishes or returns work in progress;
 * `release` releases what other replicas are waiting for; `drain` finishes calls; `close` closes connections, the last
 * opened first.
 */
const stopPhases = ['quiesce', 'release', 'drain', 'close'] as const;
export type StopPhase = (typeof stopPhases)[number];

interface StopStep {
  readonly phase: StopPhase;
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Collects the shutdown steps while the service is being built. */
export class StopSequence {
  readonly #steps: StopStep[] = [];

  add(phase: StopPhase, name: string, run: () => Promise<void>): void {
    this.#steps.push({ phase, name, run });
  }

  /** Runs all steps in order. A step that fails or hangs is logged and does not block the rest. */
  async run(log: Logger, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (const phase of stopPhases) {
      const steps = this.#steps.filter((step) => step.phase === phase).reverse();
      for (const step of steps) await runStep(step, deadline, log);
    }
  }
}

async function runStep({ phase, name, run }: StopStep, deadline: number, log: Logger) {
  // Connections get some time to close even if draining has used up the whole timeout.
  const remainingMs = Math.max(deadline - Date.now(), 500);
  try {
    await withTimeout(run(), remainingMs);
  } catch (err) {
    log.warn({ err, phase, step: name }, 'shutdown step failed; continuing');
  }
}
