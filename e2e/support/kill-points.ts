import type { KillPoint, WireStep } from './trapped-service';

/** Reading changes nothing, so to die there is to die after the deed before. */
const isRead = ({ label }: WireStep): boolean =>
  /^(find|aggregate|count|distinct|getMore|delivery)\b/.test(label);

/**
 * Before each deed that every one of the runs did, as often as all of them did it, and after the last
 * on each wire. What a process has in mind dies with it: to die after a deed is to die before the next.
 */
export function killPointsOf(
  runs: readonly (readonly WireStep[])[],
  isWanted: (step: NumberedStep) => boolean = () => true,
): KillPoint[] {
  const [first = [], ...others] = runs.map((run) =>
    numberSteps(run).filter((step) => !isRead(step) && isWanted(step)),
  );
  const certain = first.filter((step) => others.every((run) => run.some(isSame(step))));
  const lastOnWire = (step: NumberedStep): boolean =>
    step === certain.findLast(({ wire, label }) => wire === step.wire && label !== 'receipt');
  return certain.flatMap((step) => [
    { ...step, when: 'before' as const },
    ...(lastOnWire(step) ? [{ ...step, when: 'after' as const }] : []),
  ]);
}

export const describeStep = ({ label, occurrence = 1 }: Omit<KillPoint, 'when'>): string =>
  `${label}${occurrence > 1 ? ` (${occurrence})` : ''}`;

export const describePoint = (point: KillPoint): string => `${point.when} ${describeStep(point)}`;

export type NumberedStep = WireStep & { readonly occurrence: number };

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
