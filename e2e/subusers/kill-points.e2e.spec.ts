import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { untilAnswered } from '../support/stack/until-answered';
import { agentServices } from '../support/stack/stack';
import { useWorkers } from '../support/stack/use-stack';
import {
  killPointsOf,
  surviveAll,
  surviveCrash,
  type NumberedStep,
} from '../support/chaos/kill-points';
import {
  subuserChanges,
  trapped,
  type SubuserChange,
  type Trapped,
} from '../support/chaos/subuser-changes';
import { startTrappedRuntime, steadyLeases } from '../support/chaos/trapped-runtime';
import {
  startTrappedService,
  type TrappedStack,
  type WireStep,
} from '../support/chaos/trapped-service';

const workersEach = 2;

const startWorker = (name: Trapped): Promise<TrappedStack> =>
  name === 'agent-runtime'
    ? startTrappedRuntime()
    : startTrappedService(name, { services: agentServices, env: steadyLeases });

/** Reads, and the regular renewals of leases. */
const isNoWrite = (label: string): boolean =>
  /^(find|aggregate|count|distinct|delivery|receipt|getMore)\b/.test(label) ||
  ['findAndModify leases', 'update agents'].includes(label);

async function walk(worker: TrappedStack, change: SubuserChange): Promise<WireStep[]> {
  const scene = await change.prepare(worker.stack);
  return worker.stepsOf(async () => {
    await scene.call(createId());
    await scene.seeOutcome();
  });
}

describe.each(trapped)('%s killed between any two writes', (name) => {
  const workers = useWorkers(workersEach, () => startWorker(name));

  it.each(subuserChanges.filter(({ writes }) => writes[name].length > 0))(
    `with ${name} killed between any two writes, $title`,
    async (change) => {
      const { [name]: writes } = change.writes;
      const runs = await Promise.all(workers.map((worker) => walk(worker, change)));
      const labels = runs.flat().map(({ label }) => label);
      const known = [...writes, ...change.others[name]];
      expect(labels.filter((label) => !isNoWrite(label) && !known.includes(label))).toEqual([]);
      const isFirstWrite = ({ label, occurrence }: NumberedStep): boolean =>
        writes.includes(label) && occurrence === 1;
      const points = killPointsOf(runs, isFirstWrite);
      expect(new Set(points.map(({ label }) => label))).toEqual(new Set(writes));
      await surviveAll(workers, points, async (worker, point) => {
        // Callers of the service that was killed last may still be reconnecting.
        const scene = await untilAnswered(() => change.prepare(worker.stack));
        await surviveCrash(worker, point, scene);
      });
    },
    240_000,
  );
});
