import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { agentChanges, nextMessage, type AgentChange, type Scene } from './support/agent-changes';
import {
  describePoint,
  describeStep,
  killPointsOf,
  shareOut,
  type NumberedStep,
} from './support/kill-points';
import { isInDoubt, untilAnswered } from './support/social-stack';
import { startTrappedRuntime, type TrappedRuntime } from './support/trapped-runtime';
import type { KillPoint, WireStep } from './support/trapped-service';

const workerCount = 4;

let workers: TrappedRuntime[];

beforeAll(async () => {
  workers = await Promise.all(Array.from({ length: workerCount }, () => startTrappedRuntime()));
}, 60_000);
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
}, 60_000);

/** What agent-runtime does all the time: it renews leases. */
const background = new Set(['update replicas', 'update shards', 'receipt']);

const isDeedOf = ({ repeats = [] }: AgentChange, step: NumberedStep): boolean =>
  !background.has(step.label) && !repeats.includes(describeStep(step));

/** Waits until nothing is under way. */
async function seeOutcome(worker: TrappedRuntime, scene: Scene): Promise<void> {
  await worker.settled();
  expect(await scene.histories()).toEqual(scene.outcome);
  expect(await worker.db.collection('dead_letters').countDocuments()).toBe(0);
}

/** The change without a crash. */
async function walk(worker: TrappedRuntime, change: AgentChange): Promise<WireStep[]> {
  const scene = await change.prepare(worker);
  const steps = await worker.stepsOf(async () => {
    await scene.call(createId());
    await worker.settled();
  });
  await seeOutcome(worker, scene);
  return steps;
}

async function walkWithCrash(
  worker: TrappedRuntime,
  change: AgentChange,
  point: KillPoint,
): Promise<void> {
  const scene = await change.prepare(worker);
  const requestId = createId();
  const call = () => scene.call(requestId);
  const first = await worker.dieAt(point, call);
  if (first.status === 'rejected' && !isInDoubt(first.reason)) throw first.reason;
  // What was answered must not need a repetition, which could make up for a loss.
  if (first.status === 'fulfilled') await seeOutcome(worker, scene);
  const answer = await untilAnswered(call);
  if (first.status === 'fulfilled') expect(answer).toEqual(first.value);
  await seeOutcome(worker, scene);
}

/** The message waits until the shards are taken over, which ends in a crash. */
async function takeOverWithCrash(
  worker: TrappedRuntime,
  point: KillPoint,
  scene: Scene,
  call: () => Promise<object>,
): Promise<void> {
  await worker.dieAt(point, () => worker.shards.release());
  await seeOutcome(worker, scene);
  await untilAnswered(call);
  await seeOutcome(worker, scene);
}

/** Dies at each of the points, on all workers at once. */
async function walkAll(
  points: readonly KillPoint[],
  walkOne: (worker: TrappedRuntime, point: KillPoint) => Promise<void>,
): Promise<void> {
  const failed = await shareOut(workers, points, walkOne);
  expect(failed.map(({ piece, error }) => `${describePoint(piece)}: ${String(error)}`)).toEqual([]);
}

describe('with agent-runtime killed between all that it stores and sends', () => {
  it.each(agentChanges)(
    '$title',
    async (change) => {
      const runs = await Promise.all(workers.map((each) => walk(each, change)));
      const points = killPointsOf(runs, (step) => isDeedOf(change, step));
      const moments = change.deeds.map((deed) => `before ${deed}`);
      expect(points.map(describePoint)).toEqual(expect.arrayContaining(moments));
      await walkAll(points, (worker, point) => walkWithCrash(worker, change, point));
    },
    180_000,
  );
});

describe('with agent-runtime killed around everything that it stores while it takes shards over', () => {
  const around = (label: string, occurrence = 1): KillPoint[] =>
    (['before', 'after'] as const).map((when) => ({ wire: 'mongo', label, when, occurrence }));
  const claiming = around('insert history');
  const steps = [
    // The first renews what there is, the second takes.
    ...around('update shards', 2),
    ...claiming,
  ];

  it('a message that waited is answered once', async () => {
    await walkAll(steps, async (worker, point) => {
      const scene = await nextMessage.prepare(worker);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await worker.shards.lend();
      await worker.shards.seeLent();
      await call();
      await takeOverWithCrash(worker, point, scene, call);
    });
  }, 180_000);

  it('a message that somebody had begun to answer is answered once', async () => {
    const begun: KillPoint = { wire: 'mongo', label: 'insert history', when: 'after' };
    await walkAll(claiming, async (worker, point) => {
      const scene = await nextMessage.prepare(worker);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await worker.dieAt(begun, call, () => worker.shards.lend());
      await takeOverWithCrash(worker, point, scene, call);
    });
  }, 180_000);
});
