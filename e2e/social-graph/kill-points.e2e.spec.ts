import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import {
  changes,
  type Call,
  type Change,
  type Outcome,
  type Pair,
} from '../support/chaos/friend-changes';
import {
  killPointsOf,
  surviveCrashesAt,
  walkAll,
  type NumberedStep,
} from '../support/chaos/kill-points';
import type { Person } from '../support/people/people';
import { startTrappedGraph } from '../support/chaos/trapped-graph';
import type { WireStep } from '../support/chaos/trapped-service';

const trapped = useFixture(startTrappedGraph);

/** Returns the steps after a message or notice is written: publishing it, its receipt, and recording the receipt. */
function relayStepsOf(change: Change): string[] {
  if (change === changes.at(-1)) return ['publish', 'receipt', 'update outbox'];
  return ['publish', 'receipt', change === changes[0] ? 'update ties' : 'update ties (2)'];
}

/** Returns the writes that a call makes before it is answered. */
function callStepsOf(change: Change): string[] {
  if (change === changes.at(-1)) return ['insert outbox'];
  return change === changes[0] ? ['insert request_budgets', 'insert ties'] : ['update ties'];
}

/** The relay treats all changes alike, so its steps are kill points only for the first notice and for the message. */
const isKillPoint = (change: Change, { title }: NumberedStep): boolean =>
  change === changes[0] || change === changes.at(-1) || !relayStepsOf(change).includes(title);

/** Creates two people and makes these calls between them. */
async function newPair(history: readonly Call[]): Promise<Pair> {
  const { stack, listener } = trapped;
  const { people, graph } = stack;
  const [ada, bob] = await people.newPair();
  const pair: Pair = { ada, bob, helper: await people.newSubuser(ada) };
  for (const call of history) await call(graph, pair, createId());
  await listener.settled();
  return pair;
}

/** Waits until everything is delivered, then checks what each side sees. */
async function expectOutcome(change: Change, pair: Pair): Promise<void> {
  const { stack, listener } = trapped;
  await listener.settled();
  const readOutcome = async (me: Person, other: Person): Promise<Outcome> => {
    const { friends, requests } = await stack.graph.listFriends(
      { pageSize: 0, pageToken: '' },
      me.as,
    );
    const messages = listener.between(other.id, me.id);
    return {
      friends,
      requests,
      received: messages.map(({ notice, text }) => notice?.kind ?? text),
    };
  };
  const { ada, bob } = pair;
  expect({ ada: await readOutcome(ada, bob), bob: await readOutcome(bob, ada) }).toMatchObject(
    change.outcome(pair),
  );
}

/** Makes the change without a crash; resolves with its steps. */
async function walk(change: Change): Promise<WireStep[]> {
  const pair = await newPair(change.history);
  const steps = await trapped.stepsOf(async () => {
    await change.call(trapped.stack.graph, pair, createId());
    await trapped.listener.settled();
  });
  await expectOutcome(change, pair);
  return steps;
}

describe('crashes of social-graph', () => {
  it.each(changes)(
    'when a user $title and social-graph is killed before one of its writes or after the last one, the call takes effect once and the other side is notified once',
    async (change) => {
      const runs = await walkAll(() => walk(change));
      expect(killPointsOf(runs).map(({ title }) => title)).toEqual(
        expect.arrayContaining([...callStepsOf(change), ...relayStepsOf(change)]),
      );
      const points = killPointsOf(runs, (step) => isKillPoint(change, step));
      await surviveCrashesAt(points, runs, trapped, async () => {
        const pair = await newPair(change.history);
        return {
          call: (requestId) => change.call(trapped.stack.graph, pair, requestId),
          expectOutcome: () => expectOutcome(change, pair),
        };
      });
    },
    240_000,
  );
});
