import type { KillPoint, WireStep } from './trapped-service';

/** The relay looks for work now and then; only its first look belongs to a run. */
const isLaterLook = ({ label, occurrence }: NumberedStep): boolean =>
  label === 'aggregate outbox' && occurrence > 1;

/** Before and after each step that every one of the runs took, as often as all of them took it. */
export function killPointsOf(runs: readonly (readonly WireStep[])[]): KillPoint[] {
  const [first = [], ...others] = runs.map((run) =>
    numberSteps(run).filter((step) => !isLaterLook(step)),
  );
  const certain = first.filter((step) => others.every((run) => run.some(isSame(step))));
  return certain.flatMap((step) => momentsOf(step).map((when) => ({ ...step, when })));
}

export const describeStep = ({ label, occurrence = 1 }: KillPoint): string =>
  `${label}${occurrence > 1 ? ` (${occurrence})` : ''}`;

export const describePoint = (point: KillPoint): string => `${point.when} ${describeStep(point)}`;

const heard = new Set(['receipt', 'delivery']);

/** What is heard has no answer; after it the process is where it was before its next step. */
const momentsOf = ({ label }: WireStep): readonly KillPoint['when'][] =>
  heard.has(label) ? ['before'] : ['before', 'after'];

type NumberedStep = WireStep & { readonly occurrence: number };

function numberSteps(run: readonly WireStep[]): NumberedStep[] {
  const counts = new Map<string, number>();
  return run.map((step) => {
    const occurrence = (counts.get(step.label) ?? 0) + 1;
    counts.set(step.label, occurrence);
    return { ...step, occurrence };
  });
}

const isSame =
  ({ label, occurrence }: NumberedStep) =>
  (other: NumberedStep): boolean =>
    label === other.label && occurrence === other.occurrence;

/**
 * Does all the work on all the workers at once, each piece on the worker that is free first. Runs to the
 * end whatever fails, and gives what failed.
 */
export async function shareOut<W, P>(
  workers: readonly W[],
  pieces: readonly P[],
  doPiece: (worker: W, piece: P) => Promise<void>,
): Promise<{ readonly piece: P; readonly error: unknown }[]> {
  const queue = [...pieces];
  const failed: { piece: P; error: unknown }[] = [];
  const drain = async (worker: W): Promise<void> => {
    for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) {
      const chosen = piece;
      await doPiece(worker, chosen).catch((error: unknown) =>
        failed.push({ piece: chosen, error }),
      );
    }
  };
  await Promise.all(workers.map(drain));
  return failed;
}
