import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import {
  agentChanges,
  nextMessage,
  type AgentChange,
  type Scene,
} from '../support/chaos/agent-changes';
import {
  killPointsOf,
  surviveAll,
  surviveCrash,
  walkAll,
  type NumberedStep,
} from '../support/chaos/kill-points';
import { approvedCall } from '../support/chaos/approved-call';
import { scheduledRun } from '../support/chaos/scheduled-run';
import { untilAnswered } from '../support/stack/until-answered';
import { useWorkers } from '../support/stack/use-stack';
import { startTrappedRuntime, type TrappedRuntime } from '../support/chaos/trapped-runtime';
import type { KillPoint, WireStep } from '../support/chaos/trapped-service';

const workerCount = 2;

const workers = useWorkers(workerCount, () => startTrappedRuntime());

/** Steps that happen at any time: renewing leases, and recording when agents were active. */
const background = new Set(['findAndModify leases', 'update agents', 'receipt']);

const isOwnWrite = ({ writes, repeats = [] }: AgentChange, step: NumberedStep): boolean =>
  writes.includes(step.title) || (!background.has(step.label) && !repeats.includes(step.title));

/** Waits until nothing is in flight. */
async function seeOutcome(worker: TrappedRuntime, scene: Scene): Promise<void> {
  await worker.settled();
  expect(await scene.histories()).toEqual(scene.outcome);
  expect(await worker.stack.db('agent-runtime').collection('dead_letters').countDocuments()).toBe(
    0,
  );
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

/** Crashes during the takeover of the shards that a message waits for. */
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

describe('agent-runtime killed between any two writes', () => {
  it.each([...agentChanges, approvedCall, scheduledRun])(
    'with agent-runtime killed between any two writes, $title',
    async (change) => {
      const runs = await walkAll(workers, (each) => walk(each, change));
      const points = killPointsOf(runs, (step) => isOwnWrite(change, step));
      const moments = change.writes.map((write) => `before ${write}`);
      expect(points.map(({ when, title }) => `${when} ${title}`)).toEqual(
        expect.arrayContaining(moments),
      );
      await surviveAll(workers, points, async (worker, point) => {
        const scene = await change.prepare(worker);
        const outcome = { call: scene.call, seeOutcome: () => seeOutcome(worker, scene) };
        await surviveCrash(worker, point, outcome);
      });
    },
    300_000,
  );
});

describe('agent-runtime killed while it takes over shards', () => {
  const around = (label: string, occurrence = 1): KillPoint[] =>
    (['before', 'after'] as const).map((when) => ({ wire: 'mongo', label, when, occurrence }));
  const claiming = around('insert history');
  const steps = [
    // The first change renews the lease, the second takes shards.
    ...around('findAndModify leases', 2),
    ...claiming,
  ];

  it('a message that waited for the takeover is answered once', async () => {
    await surviveAll(workers, steps, async (worker, point) => {
      const scene = await nextMessage.prepare(worker);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await worker.shards.assignToStranger();
      await worker.shards.waitUntilNoticed();
      await call();
      await takeOverWithCrash(worker, point, scene, call);
    });
  });

  it('a message whose turn had begun before the takeover is answered once', async () => {
    const begun: KillPoint = { wire: 'mongo', label: 'insert history', when: 'after' };
    await surviveAll(workers, claiming, async (worker, point) => {
      const scene = await nextMessage.prepare(worker);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await worker.dieAt(begun, call, () => worker.shards.assignToStranger());
      await takeOverWithCrash(worker, point, scene, call);
    });
  });
});
