import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import {
  agentChanges,
  nextMessage,
  type AgentChange,
  type Scene,
} from '../support/chaos/agent-changes';
import {
  groupByKill,
  killPointsOf,
  surviveAll,
  surviveCrashes,
  walkAll,
  type NumberedStep,
} from '../support/chaos/kill-points';
import { approvedCall } from '../support/chaos/approved-call';
import { scheduledRun } from '../support/chaos/scheduled-run';
import { untilAnswered } from '../support/stack/until-answered';
import { startTrappedRuntime } from '../support/chaos/trapped-runtime';
import type { KillPoint, WireStep } from '../support/chaos/trapped-service';

const trapped = useFixture(() => startTrappedRuntime());

/** Steps that happen at any time: renewing leases, and recording when agents were active. */
const background = new Set(['findAndModify leases', 'update agents', 'receipt']);

const isOwnWrite = ({ writes, repeats = [] }: AgentChange, step: NumberedStep): boolean =>
  writes.includes(step.title) || (!background.has(step.label) && !repeats.includes(step.title));

/** Waits until nothing is in flight, then expects the outcome. */
async function seeOutcome(scene: Scene): Promise<void> {
  await trapped.settled();
  expect(await scene.histories()).toEqual(scene.outcome);
  const deadLetters = trapped.stack.db('agent-runtime').collection('dead_letters');
  expect(await deadLetters.countDocuments()).toBe(0);
}

/** Makes the change without a crash; resolves with its steps. */
async function walk(change: AgentChange): Promise<WireStep[]> {
  const scene = await change.prepare(trapped);
  const steps = await trapped.stepsOf(async () => {
    await scene.call(createId());
    await trapped.settled();
  });
  await seeOutcome(scene);
  return steps;
}

/** Kills agent-runtime while it takes over the shards that a message is waiting for; expects the outcome. */
async function takeOverWithCrash(
  point: KillPoint,
  scene: Scene,
  call: () => Promise<object>,
): Promise<void> {
  await trapped.dieAt(point, () => trapped.shards.release());
  await seeOutcome(scene);
  await untilAnswered(call);
  await seeOutcome(scene);
}

describe('agent-runtime killed between any two writes', () => {
  it.each([...agentChanges, approvedCall, scheduledRun])(
    'with agent-runtime killed between any two writes, $title',
    async (change) => {
      const runs = await walkAll(() => walk(change));
      const points = killPointsOf(runs, (step) => isOwnWrite(change, step));
      const moments = change.writes.map((write) => `before ${write}`);
      expect(points.map(({ when, title }) => `${when} ${title}`)).toEqual(
        expect.arrayContaining(moments),
      );
      await surviveAll(groupByKill(points, runs), (together) =>
        surviveCrashes(trapped, together, async () => {
          const scene = await change.prepare(trapped);
          return { call: scene.call, seeOutcome: () => seeOutcome(scene) };
        }),
      );
    },
    300_000,
  );
});

describe('agent-runtime killed while it takes over shards', () => {
  const around = (label: string, occurrence = 1): KillPoint[][] =>
    (['before', 'after'] as const).map((when) => [{ wire: 'mongo', label, when, occurrence }]);
  const claiming = around('insert history');
  const steps = [
    // The first write to the leases renews the lease, the second takes shards.
    ...around('findAndModify leases', 2),
    ...claiming,
  ];

  it('a message that waited for the takeover is answered once', async () => {
    await surviveAll(steps, async ([point]) => {
      const scene = await nextMessage.prepare(trapped);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await trapped.shards.assignToStranger();
      await trapped.shards.waitUntilNoticed();
      await call();
      await takeOverWithCrash(point!, scene, call);
    });
  });

  it('a message whose turn had begun before the takeover is answered once', async () => {
    const begun: KillPoint = { wire: 'mongo', label: 'insert history', when: 'after' };
    await surviveAll(claiming, async ([point]) => {
      const scene = await nextMessage.prepare(trapped);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await trapped.dieAt(begun, call, () => trapped.shards.assignToStranger());
      await takeOverWithCrash(point!, scene, call);
    });
  });
});
