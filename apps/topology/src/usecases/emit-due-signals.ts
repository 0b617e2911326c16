import type { Signal } from '../domain/signal';
import type { EmitSignalDeps } from './emit-signal';
import { deliveriesOf } from './emit-signal';

export interface EmitDueDeps extends EmitSignalDeps {
  /** Hears of a signal that could not be emitted and is tried again. */
  readonly reportStuck: (signalId: string, error: unknown) => void;
}

const batch = 100;

/**
 * Emits the signals whose time has come, the earliest first and one after the other, so that those of
 * one agent are heard in their order. Every replica does so: a signal is emitted by the first.
 */
export function makeEmitDueSignals(deps: EmitDueDeps) {
  return async (): Promise<void> => {
    let due: readonly Signal[];
    let emitted: number;
    do {
      due = await deps.signals.findDue(deps.now(), batch);
      emitted = 0;
      for (const signal of due) if (await emitOne(deps, signal)) emitted += 1;
      // Without progress the rest waits for the next run.
    } while (due.length === batch && emitted > 0);
  };
}

async function emitOne(deps: EmitDueDeps, signal: Signal): Promise<boolean> {
  try {
    const draft = deliveriesOf(signal);
    const { isNew, lanes } = await deps.signalChanges.emitDue(signal, deps.now(), draft);
    deps.wake(lanes);
    return isNew;
  } catch (error) {
    deps.reportStuck(signal.id, error);
    return false;
  }
}
