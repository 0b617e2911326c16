import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { firstEntry, type Agent } from '../../agents';
import { keyOf } from '../../agents/domain/descriptor/descriptor-kinds';
import { localProvider } from '../../models/providers/local-provider';
import { testAgent } from '../../test-support/test-agent';
import { friendMail } from '../../test-support/test-endings';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';

const slots = { maxTurns: 4, maxTurnsPerUser: 2 };
const runtime = useFixture(() => startTestRuntime({ slots }));

/** A subuser's gateway. */
async function newGateway(ownerUserId: string): Promise<Agent> {
  const userId = createId();
  const descriptor = { kind: 'subuser', id: userId, name: 'Sub', systemPrompt: '' } as const;
  const draft = testAgent({ id: createId(), userId, ownerUserId, descriptor });
  const { agent } = await runtime.agents.ensure(draft, keyOf(descriptor));
  await runtime.history.append(firstEntry(agent, new Date()));
  return agent;
}

it('an owner whose hundred subusers have slow models gets only one owner’s slots, and another user is served immediately', async () => {
  let running = 0;
  let maxRunning = 0;
  const answers: (() => void)[] = [];
  const stopServing = await serveNext(runtime, {
    ...localProvider,
    async answer(request) {
      const last = request.context.at(-1);
      if (last?.role === 'user' && last.text === 'slow') {
        running += 1;
        maxRunning = Math.max(maxRunning, running);
        await new Promise<void>((resolve) => answers.push(resolve));
        running -= 1;
      }
      return localProvider.answer(request);
    },
  });
  const owner = createId();
  const gateways = await Promise.all(Array.from({ length: 100 }, () => newGateway(owner)));
  await Promise.all(gateways.map((gateway) => runtime.say(gateway, 'slow')));
  await eventually(async () => running === slots.maxTurnsPerUser);
  const bob = await runtime.newAgent();
  await runtime.say(bob, 'quick');
  // None of the slow turns has ended yet.
  await eventually(async () => (await runtime.inbox.countByAgent([bob])).size === 0);
  expect(answers).toHaveLength(slots.maxTurnsPerUser);
  const isDone = async () => (await runtime.inbox.countByAgent(gateways)).size === 0;
  await eventually(
    async () => {
      answers.splice(0).forEach((answer) => answer());
      return isDone();
    },
    { timeoutMs: 30_000 },
  );
  expect(maxRunning).toBe(slots.maxTurnsPerUser);
  await stopServing();
});

it('guests cannot take all of an owner’s slots: the owner’s items are handled while guests’ turns are running', async () => {
  const answers: (() => void)[] = [];
  const stopServing = await serveNext(runtime, {
    ...localProvider,
    async answer(request) {
      const last = request.context.at(-1);
      if (last?.role === 'user' && last.text.includes('slow guest'))
        await new Promise<void>((resolve) => answers.push(resolve));
      return localProvider.answer(request);
    },
  });
  const owner = createId();
  const agents = await Promise.all(
    Array.from({ length: 4 }, () => runtime.newAgent(undefined, owner)),
  );
  await runtime.putItems(
    agents.map((agent) => ({
      agent,
      item: friendMail(agent.userId, 'slow guest', undefined).message,
    })),
  );
  await eventually(async () => answers.length > 0);
  const ownersAgent = await runtime.newAgent(undefined, owner);
  await runtime.say(ownersAgent, 'mine');
  await eventually(async () => (await runtime.inbox.countByAgent([ownersAgent])).size === 0);
  expect(answers).toHaveLength(slots.maxTurnsPerUser - 1);
  await eventually(
    async () => {
      answers.splice(0).forEach((answer) => answer());
      return (await runtime.inbox.countByAgent(agents)).size === 0;
    },
    { timeoutMs: 30_000 },
  );
  await stopServing();
});
