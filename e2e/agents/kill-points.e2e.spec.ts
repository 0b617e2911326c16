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
  killPointsOf,
  surviveAll,
  surviveCrashesAt,
  walkAll,
  type NumberedStep,
} from '../support/chaos/kill-points';
import { approvedCall } from '../support/chaos/approved-call';
import { scheduledRun } from '../support/chaos/scheduled-run';
import { untilAnswered } from '../support/stack/until-answered';
import { startTrappedRuntime } from '../support/chaos/trapped-runtime';
import type { KillPoint, WireStep } from '../support/chaos/trapped-service';

const trapped = useFixture(() => startTrappedRuntime());

/** Steps that can happen at any time: renewing leases, recording when agents were active, and arrivals of receipts. */
const background = new Set(['findAndModify leases', 'update agents', 'receipt']);

const isOwnWrite = ({ writes, coveredElsewhere = [] }: AgentChange, step: NumberedStep): boolean =>
  writes.includes(step.title) ||
  (!background.has(step.label) && !coveredElsewhere.includes(step.title));

/** Waits until nothing is in flight, then checks the outcome. */
async function expectOutcome(scene: Scene): Promise<void> {
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
  await expectOutcome(scene);
  return steps;
}

/**
 * Kills agent-runtime while it takes over the shard of an agent with a waiting message; checks the outcome before and
 * after the call is retried.
 */
async function takeOverWithCrash(
  point: KillPoint,
  scene: Scene,
  call: () => Promise<object>,
): Promise<void> {
  await trapped.dieAt(point, () => trapped.shards.release());
  await expectOutcome(scene);
  await untilAnswered(call);
  await expectOutcome(scene);
}

describe('changes by users and agents', () => {
  it.each([...agentChanges, approvedCall, scheduledRun])(
    'with agent-runtime killed before each of the writes under test or after the last one, $title',
    async (change) => {
      const runs = await walkAll(() => walk(change));
      const points = killPointsOf(runs, (step) => isOwnWrite(change, step));
      const moments = change.writes.map((write) => `before ${write}`);
      expect(points.map(({ when, title }) => `${when} ${title}`)).toEqual(
        expect.arrayContaining(moments),
      );
      await surviveCrashesAt(points, runs, trapped, async () => {
        const scene = await change.prepare(trapped);
        return { call: scene.call, expectOutcome: () => expectOutcome(scene) };
      });
    },
    300_000,
  );
});

describe('takeovers of shards', () => {
  const pointsAround = (label: string, occurrence = 1): KillPoint[][] =>
    (['before', 'after'] as const).map((when) => [{ wire: 'mongo', label, when, occurrence }]);
  const turnStart = pointsAround('insert history');
  const takeover = [
    // The first write to the leases renews the lease, the second takes shards.
    ...pointsAround('findAndModify leases', 2),
    ...turnStart,
  ];

  it('a message waiting for a takeover is answered exactly once even if agent-runtime is killed during the takeover', async () => {
    await surviveAll(takeover, async ([point]) => {
      const scene = await nextMessage.prepare(trapped);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await trapped.shards.assignToStranger();
      await trapped.shards.waitUntilNoticed();
      await call();
      await takeOverWithCrash(point!, scene, call);
    });
  });

  it('a message whose turn began before a takeover is answered exactly once even if agent-runtime is killed during the takeover', async () => {
    const turnBegun: KillPoint = { wire: 'mongo', label: 'insert history', when: 'after' };
    await surviveAll(turnStart, async ([point]) => {
      const scene = await nextMessage.prepare(trapped);
      const requestId = createId();
      const call = () => scene.call(requestId);
      await trapped.dieAt(turnBegun, call, () => trapped.shards.assignToStranger());
      await takeOverWithCrash(point!, scene, call);
    });
  });
});
