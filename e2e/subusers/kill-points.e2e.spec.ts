import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { killPointsOf, surviveCrashesAt, type NumberedStep } from '../support/chaos/kill-points';
import {
  subuserChanges,
  killableServices,
  type SubuserChange,
  type KillableService,
} from '../support/chaos/subuser-changes';
import { startTrappedAgents } from '../support/chaos/trapped-runtime';
import type { WireStep } from '../support/chaos/trapped-service';
import { untilAnswered } from '../support/stack/until-answered';

const trapped = useFixture(() => startTrappedAgents(killableServices));

type Runs = Readonly<Record<KillableService, readonly (readonly WireStep[])[]>>;

/** Reports whether a step is a read, an arrival from NATS or a background write: a lease, or an agent's activity. */
const isIgnored = (label: string): boolean =>
  /^(find|aggregate|count|distinct|delivery|receipt|getMore)\b/.test(label) ||
  ['findAndModify leases', 'update agents'].includes(label);

/** Makes the change twice without a crash; resolves with each service's steps in both runs. */
async function walkTwice(change: SubuserChange): Promise<Runs> {
  const [first, second] = [await walk(change), await walk(change)];
  const both = killableServices.map((name) => [name, [first[name], second[name]]]);
  return Object.fromEntries(both) as Runs;
}

async function walk(change: SubuserChange): Promise<Readonly<Record<KillableService, WireStep[]>>> {
  const scene = await change.prepare(trapped.stack);
  const { identity, 'social-graph': graph, 'agent-runtime': runtime } = trapped.traps;
  const steps: Partial<Record<KillableService, WireStep[]>> = {};
  steps.identity = await identity.stepsOf(async () => {
    steps['social-graph'] = await graph.stepsOf(async () => {
      steps['agent-runtime'] = await runtime.stepsOf(async () => {
        await scene.call(createId());
        await scene.expectOutcome();
      });
    });
  });
  return steps as Record<KillableService, WireStep[]>;
}

const walks = new Map<SubuserChange, Promise<Runs>>();

/** Returns a change's steps. They are recorded once, because they are the same whichever service is killed. */
function runsOf(change: SubuserChange): Promise<Runs> {
  const runs = walks.get(change) ?? walkTwice(change);
  walks.set(change, runs);
  return runs;
}

describe.each(killableServices)('crashes of %s', (name) => {
  it.each(subuserChanges.filter(({ writes }) => writes[name].length > 0))(
    `with ${name} killed before each of the writes under test or after the last one, $title`,
    async (change) => {
      const { [name]: writes } = change.writes;
      const { [name]: runs } = await runsOf(change);
      const labels = runs.flat().map(({ label }) => label);
      const expectedLabels = [...writes, ...change.otherSteps[name]];
      expect(
        labels.filter((label) => !isIgnored(label) && !expectedLabels.includes(label)),
      ).toEqual([]);
      const isFirstWrite = ({ label, occurrence }: NumberedStep): boolean =>
        writes.includes(label) && occurrence === 1;
      const points = killPointsOf(runs, isFirstWrite);
      expect(new Set(points.map(({ label }) => label))).toEqual(new Set(writes));
      // Callers of the service that was killed last may still be reconnecting.
      await surviveCrashesAt(points, runs, trapped.traps[name], () =>
        untilAnswered(() => change.prepare(trapped.stack)),
      );
    },
    240_000,
  );
});
