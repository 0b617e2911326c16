import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { changes, type Call, type Change, type Outcome, type Pair } from './support/friend-changes';
import {
  describePoint,
  describeStep,
  killPointsOf,
  shareOut,
  type NumberedStep,
} from './support/kill-points';
import type { Person } from './support/people';
import { isInDoubt, untilAnswered } from './support/social-stack';
import { startTrappedGraph, type TrappedGraph } from './support/trapped-graph';
import type { KillPoint, WireStep } from './support/trapped-service';

const workerCount = 5;

let workers: TrappedGraph[];

beforeAll(async () => {
  workers = await Promise.all(Array.from({ length: workerCount }, () => startTrappedGraph()));
}, 60_000);
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
}, 60_000);

/** Where the relay can die while it carries a message from the outbox to the receipt. */
const onTheWay = ['update outbox', 'publish', 'receipt', 'update outbox_receipts', 'delete outbox'];

/** The relay carries every change alike: it is killed while it carries a notice and while it carries a message. */
const isOwnStep = (change: Change, step: NumberedStep): boolean =>
  change === changes[0] || change === changes.at(-1) || !onTheWay.includes(describeStep(step));

/** Two people for whom everything has happened but the change. */
async function newPair(
  { people, graph, settled }: TrappedGraph,
  history: readonly Call[],
): Promise<Pair> {
  const [ada, bob] = await Promise.all([people.newPerson(), people.newPerson()]);
  const pair: Pair = { ada, bob, helper: await people.newSubuser(ada) };
  for (const call of history) await call(graph, pair, createId());
  await settled();
  return pair;
}

/** Waits until the outbox has run empty. */
async function seeOutcome(
  { graph, listener, settled }: TrappedGraph,
  change: Change,
  pair: Pair,
): Promise<void> {
  await settled();
  const look = async (me: Person, other: Person): Promise<Outcome> => {
    const { friends, requests } = await graph.listFriends({ pageSize: 0, pageToken: '' }, me.as);
    const messages = listener.between(other.id, me.id);
    return { friends, requests, heard: messages.map(({ notice, text }) => notice?.kind ?? text) };
  };
  const { ada, bob } = pair;
  expect({ ada: await look(ada, bob), bob: await look(bob, ada) }).toMatchObject(
    change.outcome(pair),
  );
}

/** The change without a crash. */
async function walk(worker: TrappedGraph, change: Change): Promise<WireStep[]> {
  const pair = await newPair(worker, change.history);
  const steps = await worker.stepsOf(async () => {
    await change.call(worker.graph, pair, createId());
    await worker.settled();
  });
  await seeOutcome(worker, change, pair);
  return steps;
}

async function walkWithCrash(
  worker: TrappedGraph,
  change: Change,
  point: KillPoint,
): Promise<void> {
  const pair = await newPair(worker, change.history);
  const requestId = createId();
  const call = () => change.call(worker.graph, pair, requestId);
  const first = await worker.dieAt(point, call);
  if (first.status === 'rejected' && !isInDoubt(first.reason)) throw first.reason;
  // What was answered must not need a repetition, which could make up for a loss.
  if (first.status === 'fulfilled') await seeOutcome(worker, change, pair);
  const answer = await untilAnswered(call);
  if (first.status === 'fulfilled') expect(answer).toEqual(first.value);
  await seeOutcome(worker, change, pair);
}

describe('with social-graph killed between all that the call and the relay behind it store and send', () => {
  it.each(changes)(
    'who $title does so once, and the other side hears of it once',
    async (change) => {
      const runs = await Promise.all(workers.map((each) => walk(each, change)));
      expect(killPointsOf(runs).map(describeStep)).toEqual(expect.arrayContaining(onTheWay));
      const points = killPointsOf(runs, (step) => isOwnStep(change, step));
      const failed = await shareOut(workers, points, (worker, point) =>
        walkWithCrash(worker, change, point),
      );
      expect(failed.map(({ piece, error }) => `${describePoint(piece)}: ${String(error)}`)).toEqual(
        [],
      );
    },
    120_000,
  );
});
