import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually, type ModelServer } from '@daycare/testing';
import { killPointsOf, surviveCrashesAt, walkAll } from '../support/chaos/kill-points';
import { startTrappedRuntime, type TrappedRuntime } from '../support/chaos/trapped-runtime';
import { envOfModel, startHangingModel } from '../support/people/hanging-model';
import { historyOf, post, summaryOf } from '../support/people/history';
import { waitingItems } from '../support/stack/inbox-filters';
import { untilAnswered } from '../support/stack/until-answered';

let model: ModelServer;
let trapped: TrappedRuntime;

beforeAll(async () => {
  model = await startHangingModel();
  trapped = await startTrappedRuntime(envOfModel(model));
});
afterAll(async () => {
  await trapped.stop();
  await model.close();
});

/** Creates an agent whose turn hangs; returns the call that stops the turn and a check of the outcome. */
async function prepare() {
  const { stack } = trapped;
  const { people, runtime } = stack;
  const ada = await people.newPerson();
  const inbox = stack.db('agent-runtime').collection('inbox');
  // Waits for this person's items only, because the agents of other scenes may still hang.
  const settled = () =>
    eventually(
      async () => (await inbox.countDocuments({ userId: ada.id, ...waitingItems })) === 0,
      { timeoutMs: 60_000 },
    );
  await stack.agents.foreground(ada);
  await settled();
  const { agentId } = await runtime.postMessage(post('hang'), ada.as);
  const summaries = async (): Promise<string[]> =>
    (await untilAnswered(() => historyOf(runtime, ada, agentId))).map(summaryOf);
  await eventually(async () => (await summaries()).at(-1) === 'person: hang');
  const request = { agentId, steeringText: 'Rest now', replyTarget: '' };
  return {
    call: (requestId: string) => runtime.stopTurn({ requestId, ...request }, ada.as),
    async expectOutcome() {
      await settled();
      expect((await summaries()).slice(3)).toEqual([
        'person: hang',
        'note: Stopped.',
        'person: Rest now',
        'agent: Done.',
      ]);
    },
  };
}

/** The writes of the stop, and of the turn that answers its steering text. */
const writes = ['insert inbox', 'insert history', 'update inbox'];

it('with agent-runtime killed before each of the writes under test or after the last one, a stop ends the turn once and its steering text is answered once', async () => {
  const runs = await walkAll(async () => {
    const scene = await prepare();
    const steps = await trapped.stepsOf(async () => {
      await scene.call(createId());
      await trapped.settled();
    });
    await scene.expectOutcome();
    return steps;
  });
  const points = killPointsOf(runs, ({ label }) => writes.includes(label));
  expect(points.map(({ when, title }) => `${when} ${title}`)).toEqual(
    expect.arrayContaining(writes.map((write) => `before ${write}`)),
  );
  await surviveCrashesAt(points, runs, trapped, prepare);
});
