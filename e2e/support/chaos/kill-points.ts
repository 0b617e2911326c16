import { expect } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { isInDoubt, untilAnswered } from '../stack/until-answered';
import { StepNotReached, type KillPoint, type Traps, type WireStep } from './trapped-service';

/** A read or an arriving delivery changes nothing, so a crash there is equivalent to one after the previous write. */
const isRead = ({ label }: WireStep): boolean =>
  /^(find|aggregate|count|distinct|getMore|delivery)\b/.test(label);

/**
 * Returns the kill points: before each write that all runs made, and after the last one on each wire (not counting
 * receipts). A crash between two writes is equivalent to one before the second, because a process loses everything it
 * has not written.
 */
export function killPointsOf(
  runs: readonly (readonly WireStep[])[],
  isIncluded: (step: NumberedStep) => boolean = () => true,
): NumberedPoint[] {
  const [first = [], ...otherRuns] = runs.map((run) =>
    numberSteps(run).filter((step) => !isRead(step) && isIncluded(step)),
  );
  const certainSteps = first.filter((step) => otherRuns.every((run) => run.some(isSame(step))));
  const isLastOnWire = (step: NumberedStep): boolean =>
    step === certainSteps.findLast(({ wire, label }) => wire === step.wire && label !== 'receipt');
  return certainSteps.flatMap((step) => [
    { ...step, when: 'before' as const },
    ...(isLastOnWire(step) ? [{ ...step, when: 'after' as const }] : []),
  ]);
}

/** A step with the number of times it has occurred so far, e.g. `update inbox (2)`. */
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

/** A call during which a service is killed, and a check of its outcome. */
export interface CrashScene {
  /** May be retried with the same request id. */
  readonly call: (requestId: string) => Promise<object>;
  /** Resolves when the outcome of the call is correct; rejects otherwise. */
  readonly expectOutcome: () => Promise<unknown>;
}

/**
 * Kills the service at each point, at several points with one kill where `groupByKill` allows it, and checks each time
 * that nothing is lost or repeated.
 */
export async function surviveCrashesAt(
  points: readonly NumberedPoint[],
  runs: readonly (readonly WireStep[])[],
  traps: Traps,
  prepare: () => Promise<CrashScene>,
): Promise<void> {
  await surviveAll(groupByKill(points, runs), (together) => surviveCrash(traps, together, prepare));
}

/**
 * Makes one scene's call for each point, kills the service once all points are reached, retries the calls and checks
 * the outcomes.
 */
async function surviveCrash(
  { dieAtAll }: Traps,
  points: readonly KillPoint[],
  prepare: () => Promise<CrashScene>,
): Promise<void> {
  const scenes: (CrashScene & { readonly requestId: string })[] = [];
  for (const _ of points) scenes.push({ ...(await prepare()), requestId: createId() });
  const firstOutcomes = await dieAtAll(
    points.map((point, index) => {
      const { call, requestId } = scenes[index]!;
      return { point, act: () => call(requestId) };
    }),
  );
  const firstAnswerAt = (index: number): object | undefined => {
    const first = firstOutcomes[index]!;
    if (first.status === 'fulfilled') return first.value;
    if (isInDoubt(first.reason)) return undefined;
    throw first.reason;
  };
  // Checked before any retry, which could repair a loss.
  for (const [index, { expectOutcome }] of scenes.entries())
    if (firstAnswerAt(index)) await expectOutcome();
  for (const [index, { call, requestId }] of scenes.entries()) {
    const answer = await untilAnswered(() => call(requestId));
    const first = firstAnswerAt(index);
    if (first) expect(answer).toEqual(first);
  }
  for (const { expectOutcome } of scenes) await expectOutcome();
}

/** How many times a change is made to find the steps that it always takes. */
const walkCount = 3;

/** Makes the change several times without a crash; returns the steps of each run. */
export async function walkAll(
  walk: () => Promise<readonly WireStep[]>,
): Promise<readonly (readonly WireStep[])[]> {
  const runs: (readonly WireStep[])[] = [];
  while (runs.length < walkCount) runs.push(await walk());
  return runs;
}

/**
 * Divides the points among kills, latest first. A held step delays every later step with the same label, because
 * services send such steps in batches. Within a delivery it also delays every later delivery, because consumers handle
 * deliveries one at a time. A kill therefore includes a point only if the point's call can reach it despite these
 * delays. A step that cannot be held is the last in its kill.
 */
export function groupByKill(
  points: readonly NumberedPoint[],
  runs: readonly (readonly WireStep[])[],
): NumberedPoint[][] {
  const [firstRun = [], ...otherRuns] = runs.map(numberSteps);
  const pathTo = (point: NumberedPoint, steps = firstRun): string[] =>
    steps.slice(0, steps.findIndex(isSame(point)) + 1).map(({ label }) => label);
  const depthOf = (point: NumberedPoint): number =>
    2 * pathTo(point).length + (point.when === 'after' ? 1 : 0);
  const isInDelivery = (point: NumberedPoint): boolean => {
    const path = pathTo(point);
    return path.lastIndexOf('delivery') > path.lastIndexOf('acknowledge');
  };
  const kills: NumberedPoint[][] = [];
  for (const point of points.toSorted((one, other) => depthOf(other) - depthOf(one))) {
    // The order of independent steps differs between runs.
    const earlier = new Set([firstRun, ...otherRuns].flatMap((steps) => pathTo(point, steps)));
    const isHeldUpBy = (held: NumberedPoint): boolean =>
      earlier.has(held.label) || (earlier.has('delivery') && isInDelivery(held));
    const kill = kills.find(
      (candidate) => !candidate.some((held) => cannotBeHeld(held) || isHeldUpBy(held)),
    );
    if (kill) kill.push(point);
    else kills.push([point]);
  }
  return kills;
}

/** Over NATS, a service waits only while it publishes, and for the receipt of what it has published. */
function cannotBeHeld({ wire, when, label }: KillPoint): boolean {
  return wire === 'nats' && label !== 'publish' && !(label === 'receipt' && when === 'before');
}

/**
 * Runs all kills, then fails with a list of those that the service did not survive. If a kill does not reach one of its
 * points, each of its points gets a kill of its own: on the way to that point, the call may have taken a step that no
 * recorded run took there, and another call's held step may have delayed it.
 */
export async function surviveAll<P extends KillPoint>(
  kills: readonly (readonly P[])[],
  survive: (points: readonly P[]) => Promise<void>,
): Promise<void> {
  const failures: string[] = [];
  const queue = [...kills];
  for (const points of queue) {
    const title = points.map((point) => `${point.when} ${titleOf(point)}`).join(', ');
    await survive(points).catch((error: unknown) => {
      if (error instanceof StepNotReached && points.length > 1)
        queue.push(...points.map((point) => [point]));
      else failures.push(`${title}: ${String(error)}`);
    });
  }
  expect(failures).toEqual([]);
}
