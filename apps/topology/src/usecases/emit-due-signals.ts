import type { Signal } from '../domain/signal';
import type { EmitSignalDeps } from './emit-signal';
import { deliveriesOf } from './emit-signal';

export interface EmitDueDeps extends EmitSignalDeps {
  /** Hears of a signal that could not be emitted and is tried again. */
  readonly reportStuck: (signalId: string, error: unknown) => void;
}

const batch = 100;
const retryMs = 30_000;

/**
 * Emits the signals whose time has come, the earliest first and one after the other, so that those of
 * one agent are heard in their order. Every replica does so: a signal is emitted by the first. One that
 * cannot be emitted is set back, so that however many there are, the others have their turn.
 */
export function makeEmitDueSignals(deps: EmitDueDeps) {
  return async (): Promise<void> => {
    let due: readonly Signal[];
    do {
      due = await deps.signals.findDue(deps.now(), batch);
      for (const signal of due) await emitOne(deps, signal);
    } while (due.length === batch);
  };
}

async function emitOne(deps: EmitDueDeps, signal: Signal): Promise<void> {
  try {
    const draft = deliveriesOf(signal);
    const { lanes } = await deps.signalChanges.emitDue(signal, deps.now(), draft);
    deps.wake(lanes);
  } catch (error) {
    deps.reportStuck(signal.id, error);
    await deps.signals.setBack(signal, new Date(deps.now().getTime() + retryMs));
  }
}
