import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually, type ModelServer } from '@daycare/testing';
import { killPointsOf, surviveAll, surviveCrash } from '../support/chaos/kill-points';
import { startTrappedRuntime, type TrappedRuntime } from '../support/chaos/trapped-runtime';
import { envOfModel, startHangingModel } from '../support/people/hanging-model';
import { historyOf, post, summaryOf } from '../support/people/history';
import { untilAnswered } from '../support/stack/until-answered';

let model: ModelServer;
const workers: TrappedRuntime[] = [];

beforeAll(async () => {
  model = await startHangingModel();
  const env = envOfModel(model);
  workers.push(...(await Promise.all([startTrappedRuntime(env), startTrappedRuntime(env)])));
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await model.close();
});

/** An agent that hangs, and the call that stops it. */
async function prepare({ stack, settled }: TrappedRuntime) {
  const { people, runtime } = stack;
  const ada = await people.newPerson();
  await stack.agents.foreground(ada);
  await settled();
  const { agentId } = await runtime.postMessage(post('hang'), ada.as);
  const story = async (): Promise<string[]> =>
    (await untilAnswered(() => historyOf(runtime, ada, agentId))).map(summaryOf);
  await eventually(async () => (await story()).at(-1) === 'person: hang');
  const request = { agentId, steeringText: 'Rest now', replyTarget: '' };
  return {
    call: (requestId: string) => runtime.stopTurn({ requestId, ...request }, ada.as),
    async seeOutcome() {
      await settled();
      expect((await story()).slice(3)).toEqual([
        'person: hang',
        'note: Stopped.',
        'person: Rest now',
        'agent: Done.',
      ]);
    },
  };
}

/** The steps that stop the turn; the following turn is like any other. */
const writes = ['insert inbox', 'insert history', 'update inbox'];

it('with agent-runtime killed between any two writes, a stop ends the turn once and its steering text is answered once', async () => {
  const runs = await Promise.all(
    workers.map(async (worker) => {
      const scene = await prepare(worker);
      const steps = await worker.stepsOf(async () => {
        await scene.call(createId());
        await worker.settled();
      });
      await scene.seeOutcome();
      return steps;
    }),
  );
  const points = killPointsOf(runs, ({ label }) => writes.includes(label));
  expect(points.map(({ when, title }) => `${when} ${title}`)).toEqual(
    expect.arrayContaining(writes.map((write) => `before ${write}`)),
  );
  await surviveAll(workers, points, async (worker, point) => {
    await surviveCrash(worker, point, await prepare(worker));
  });
});
