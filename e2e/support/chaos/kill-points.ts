import { expect } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { isInDoubt, untilAnswered } from '../stack/until-answered';
import type { KillPoint, Traps, WireStep } from './trapped-service';

/** A read changes nothing: dying there is the same as dying after the previous write. */
const isRead = ({ label }: WireStep): boolean =>
  /^(find|aggregate|count|distinct|getMore|delivery)\b/.test(label);

/**
 * Before each write that all of the runs made, and after the last one on each wire. In between, dying
 * after a write is the same as dying before the next one, because a process loses everything it has not
 * written.
 */
export function killPointsOf(
  runs: readonly (readonly WireStep[])[],
  isIncluded: (step: NumberedStep) => boolean = () => true,
): NumberedPoint[] {
  const [first = [], ...others] = runs.map((run) =>
    numberSteps(run).filter((step) => !isRead(step) && isIncluded(step)),
  );
  const certain = first.filter((step) => others.every((run) => run.some(isSame(step))));
  const lastOnWire = (step: NumberedStep): boolean =>
    step === certain.findLast(({ wire, label }) => wire === step.wire && label !== 'receipt');
  return certain.flatMap((step) => [
    { ...step, when: 'before' as const },
    ...(lastOnWire(step) ? [{ ...step, when: 'after' as const }] : []),
  ]);
}

/** A step with the count of its label so far, e.g. `update inbox (2)`. */
export type NumberedStep = WireStep & { readonly occurrence: number; readonly title: string };
export type NumberedPoint = KillPoint & NumberedStep;

const titleOf = ({ label, occurrence = 1 }: Omit<KillPoint, 'when'>): string =>
  `${label}${occurrence > 1 ? ` (${occurrence})` : ''}`;

function numberSteps(run: readonly WireStep[]): NumberedStep[] {
  const counts = new Map<string, number>();
  return run.map((step) => {
    const occurrence = (counts.get(step.label) ?? 0) + 1;
    counts.set(step.label, occurrence);
    return { ...step, occurrence, title: titleOf({ ...step, occurrence }) };
  });
}

const isSame =
  ({ label, occurrence }: NumberedStep) =>
  (other: NumberedStep): boolean =>
    label === other.label && occurrence === other.occurrence;

/** A call during which a service is killed, and the check of its outcome. */
export interface CrashScene {
  /** May be repeated with the same request id. */
  readonly call: (requestId: string) => Promise<object>;
  /** Resolves when the outcome of the call is correct; rejects otherwise. */
  readonly seeOutcome: () => Promise<unknown>;
}

/** Makes the call, kills the service at the point, repeats the call and checks the outcome. */
export async function surviveCrash(
  { dieAt }: Traps,
  point: KillPoint,
  { call, seeOutcome }: CrashScene,
): Promise<void> {
  const requestId = createId();
  const first = await dieAt(point, () => call(requestId));
  if (first.status === 'rejected' && !isInDoubt(first.reason)) throw first.reason;
  // Checked before the repetition, which could repair a loss.
  if (first.status === 'fulfilled') await seeOutcome();
  const answer = await untilAnswered(() => call(requestId));
  if (first.status === 'fulfilled') expect(answer).toEqual(first.value);
  await seeOutcome();
}

/** How many times the workers make a change together to find the steps that it always takes. */
const walksPerWorker = 2;

/** Makes the change several times with each worker, without a crash; returns the steps of each run. */
export async function walkAll<W>(
  workers: readonly W[],
  walk: (worker: W) => Promise<readonly WireStep[]>,
): Promise<readonly (readonly WireStep[])[]> {
  const runs = await Promise.all(
    workers.map(async (worker) => {
      const own: (readonly WireStep[])[] = [];
      while (own.length < walksPerWorker) own.push(await walk(worker));
      return own;
    }),
  );
  return runs.flat();
}

/** Divides the points among the workers, each to the one that is free first; all of them must succeed. */
export async function surviveAll<W>(
  workers: readonly W[],
  points: readonly KillPoint[],
  survive: (worker: W, point: KillPoint) => Promise<void>,
): Promise<void> {
  const queue = [...points];
  const failures: string[] = [];
  const drain = async (worker: W): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift()) {
      const title = `${point.when} ${titleOf(point)}`;
      await survive(worker, point).catch((error: unknown) =>
        failures.push(`${title}: ${String(error)}`),
      );
    }
  };
  await Promise.all(workers.map(drain));
  expect(failures).toEqual([]);
}
