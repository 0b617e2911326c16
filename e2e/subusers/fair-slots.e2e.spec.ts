import { afterAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { User } from '@daycare/contracts/identity';
import {
  conversationOf,
  eventually,
  ModelServer,
  openAiEvents,
  type ReplyStep,
} from '@daycare/testing';
import type { Person } from '../support/people/people';
import { historyOf, post, summaryOf } from '../support/people/history';
import { recordFigure } from '../support/stack/record-figure';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

const subuserCount = 100;
const slotsPerOwner = 4;
const slots = 16;

let server: ModelServer;
let openGate: () => void = () => undefined;
const gate = new Promise<void>((resolve) => (openGate = resolve));
let slowRequestCount = 0;

/** Answers to messages that contain `slow` arrive when the gate opens; all others arrive immediately. */
const stack = useStack(async () => {
  server = await ModelServer.start(({ body }) => {
    const last = JSON.stringify(conversationOf(body).at(-1));
    const steps: ReplyStep[] = openAiEvents({ text: ['Done.'] });
    if (!last.includes('slow')) return { steps };
    slowRequestCount += 1;
    return { steps: [{ until: gate }, ...steps] };
  });
  const env = {
    DAYCARE_OPENAI_URL: server.url,
    DAYCARE_MODEL: 'openai/test',
    DAYCARE_MAX_TURNS: `${slots}`,
    DAYCARE_MAX_TURNS_PER_USER: `${slotsPerOwner}`,
  };
  return { services: agentServices, env };
});
const { people, agents, runtime } = stack;
afterAll(() => server.close());

/** Measures the first turn of a new user, from the post to the answer in the history. */
async function timeFirstTurn(person: Person): Promise<number> {
  const beganMs = performance.now();
  const { agentId } = await runtime.postMessage(post('hello'), person.as);
  await eventually(
    async () => (await historyOf(runtime, person, agentId)).map(summaryOf).includes('agent: Done.'),
    { timeoutMs: 30_000, intervalMs: 5 },
  );
  return performance.now() - beganMs;
}

it('an owner with 100 busy subusers and a hanging model does not keep another user waiting', async () => {
  const [owner, warmUp, early, late] = await people.newPeople(4);
  await timeFirstTurn(warmUp!);
  recordFigure('first turn of a user, alone', await timeFirstTurn(early!));
  const agent = await agents.foreground(owner!);
  const subusers: User[] = [];
  // Four at a time: more would not be faster, as the database creates an owner's subusers one by one.
  while (subusers.length < subuserCount)
    subusers.push(...(await Promise.all([1, 2, 3, 4].map(() => people.newSubuser(owner!)))));
  const gateways = await Promise.all(subusers.map((subuser) => agents.gateway(subuser)));
  await Promise.all(
    gateways.map(({ id: agentId }) =>
      runtime.sendAgentMessage({ requestId: createId(), agentId, text: 'be slow' }, agent.as),
    ),
  );
  await eventually(() => slowRequestCount >= slotsPerOwner, { timeoutMs: 30_000 });
  recordFigure('first turn beside 100 busy subusers of one owner', await timeFirstTurn(late!));
  expect(slowRequestCount).toBeLessThan(slots);
  openGate();
  await eventually(() => slowRequestCount === subuserCount, { timeoutMs: 60_000 });
});
