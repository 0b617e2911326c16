import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { AgentCast } from './support/agent-cast';
import { agentEnv, openAgentStack } from './support/agent-stack';
import { describePoint, killPointsOf, shareOut, type NumberedStep } from './support/kill-points';
import { isInDoubt, untilAnswered } from './support/social-stack';
import {
  subuserChanges,
  trapped,
  type Place,
  type SubuserChange,
  type Trapped,
} from './support/subuser-changes';
import {
  startTrappedService,
  type KillPoint,
  type Traps,
  type WireStep,
} from './support/trapped-service';

const workersEach = 2;

type Worker = Place & Traps;

async function startWorker(name: Trapped): Promise<Worker> {
  const { stack, ...traps } = await startTrappedService(name, {
    services: ['identity', 'social-graph', 'agent-runtime'],
    // A service that was killed is back at once, and so are its shards.
    env: { ...agentEnv, DAYCARE_LEASE_TTL_MS: '1000' },
  });
  const agents = await openAgentStack(stack, 1, 10_000);
  return { ...agents, ...traps, cast: await AgentCast.open(agents) };
}

const stopWorker = async (worker: Worker): Promise<void> => {
  worker.cast.close();
  await worker.stop();
};

/** What changes nothing, or goes on all the time. */
const isNoDeed = (label: string): boolean =>
  /^(find|aggregate|count|distinct|delivery|receipt|getMore)\b/.test(label) ||
  ['update replicas', 'update shards'].includes(label);

async function walk(worker: Worker, change: SubuserChange): Promise<WireStep[]> {
  const scene = await change.prepare(worker);
  return worker.stepsOf(async () => {
    await scene.call(createId());
    await scene.seeOutcome();
  });
}

async function walkWithCrash(
  worker: Worker,
  change: SubuserChange,
  point: KillPoint,
): Promise<void> {
  // Whoever called the one that died last may still be finding it again.
  const scene = await untilAnswered(() => change.prepare(worker));
  const requestId = createId();
  const call = () => scene.call(requestId);
  const first = await worker.dieAt(point, call);
  if (first.status === 'rejected' && !isInDoubt(first.reason)) throw first.reason;
  // What was answered must not need a repetition, which could make up for a loss.
  if (first.status === 'fulfilled') await scene.seeOutcome();
  const answer = await untilAnswered(call);
  if (first.status === 'fulfilled') expect(answer).toEqual(first.value);
  await scene.seeOutcome();
}

describe.each(trapped)('with %s killed between all that it stores and sends', (name) => {
  let workers: readonly Worker[];
  beforeAll(async () => {
    workers = await Promise.all(Array.from({ length: workersEach }, () => startWorker(name)));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(workers.map(stopWorker));
  }, 60_000);

  it.each(subuserChanges.filter(({ deeds }) => deeds[name].length > 0))(
    '$title',
    async (change) => {
      const { [name]: deeds } = change.deeds;
      const runs = await Promise.all(workers.map((worker) => walk(worker, change)));
      const labels = runs.flat().map(({ label }) => label);
      const known = [...deeds, ...change.alike[name]];
      expect(labels.filter((label) => !isNoDeed(label) && !known.includes(label))).toEqual([]);
      const isDeed = ({ label, occurrence }: NumberedStep): boolean =>
        deeds.includes(label) && occurrence === 1;
      const points = killPointsOf(runs, isDeed);
      expect(new Set(points.map(({ label }) => label))).toEqual(new Set(deeds));
      const failed = await shareOut(workers, points, (worker, point) =>
        walkWithCrash(worker, change, point),
      );
      expect(failed.map(({ piece, error }) => `${describePoint(piece)}: ${String(error)}`)).toEqual(
        [],
      );
    },
    240_000,
  );
});
