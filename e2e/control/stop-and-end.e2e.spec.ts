import { afterAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AgentLifecycle, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { eventually, type ModelServer } from '@daycare/testing';
import { envOfModel, startHangingModel } from '../support/people/hanging-model';
import { historyOf, post, summaryOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { soloAgentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

let model: ModelServer;
const stack = useStack(async () => {
  model = await startHangingModel();
  return {
    services: soloAgentServices,
    env: envOfModel(model),
    replicas: { 'agent-runtime': 2 },
  };
});
const { people, runtime } = stack;
afterAll(() => model.close());

const summariesOf = async (person: Person, agentId: string): Promise<string[]> =>
  (await historyOf(runtime, person, agentId)).map(summaryOf);
/** Creates an agent whose model call hangs. */
const newHangingAgent = async () => {
  const ada = await people.newPerson();
  const earlierRequests = model.requests.length;
  const { agentId } = await runtime.postMessage(post('hang'), ada.as);
  await eventually(async () => model.requests.length > earlierRequests);
  return { ada, agentId };
};
const stopRequest = (agentId: string, steeringText = '') => ({
  requestId: createId(),
  agentId,
  steeringText,
  replyTarget: '',
});

describe('stopping a turn', () => {
  it.each([0, 1])(
    'stopping a turn through replica %i ends the turn’s hanging model call, whichever replica runs the turn',
    async (replica) => {
      const { ada, agentId } = await newHangingAgent();
      const hangUps = model.hangUps;
      await stack.runtimes[replica]!.stopTurn(stopRequest(agentId), ada.as);
      await eventually(async () => (await summariesOf(ada, agentId)).at(-1) === 'note: Stopped.');
      await eventually(async () => model.hangUps > hangUps);
      const selector = { $case: 'agentId', value: agentId } as const;
      // The inbox is settled after the note is stored.
      await eventually(
        async () => (await runtime.getAgent({ selector }, ada.as)).agent?.inboxCount === 0,
      );
    },
  );

  it('a stop’s steering text is answered next, and a stop while no turn is running has no effect', async () => {
    const { ada, agentId } = await newHangingAgent();
    await runtime.stopTurn(stopRequest(agentId, 'Rest now'), ada.as);
    await eventually(async () => (await summariesOf(ada, agentId)).length >= 5);
    await runtime.stopTurn(stopRequest(agentId), ada.as);
    await runtime.postMessage(post('and on'), ada.as);
    await eventually(async () => (await summariesOf(ada, agentId)).length >= 7);
    expect((await summariesOf(ada, agentId)).slice(1)).toEqual([
      'person: hang',
      'note: Stopped.',
      'person: Rest now',
      'agent: Done.',
      'person: and on',
      'agent: Done.',
    ]);
  });

  it('an agent may not stop a turn, and a stranger’s stop fails as if the agent did not exist', async () => {
    const { ada, agentId } = await newHangingAgent();
    const actor = await stack.agents.foreground(ada, 'other');
    const mallory = await people.newPerson();
    const [byAgent, byStranger] = await Promise.allSettled([
      runtime.stopTurn(stopRequest(agentId), actor.as),
      runtime.stopTurn(stopRequest(agentId), mallory.as),
    ]);
    expect(byAgent).toMatchObject({ reason: { code: 'PERMISSION_DENIED' } });
    expect(byStranger).toMatchObject({ reason: { code: 'NOT_FOUND' } });
    expect((await summariesOf(ada, agentId)).at(-1)).toBe('person: hang');
  });
});

describe('agents that people create', () => {
  it('a person can create, configure and end a permanent agent, which the person’s other agents can message until it ends', async () => {
    const ada = await people.newPerson();
    const desk = await stack.agents.foreground(ada);
    const kind = DescriptorKind.PERMANENT;
    const spec = { kind, name: 'Librarian', description: '', systemPrompt: '', parentAgentId: '' };
    const requestId = createId();
    const { agent } = await runtime.createAgent({ requestId, ...spec }, ada.as);
    const again = await runtime.createAgent({ requestId, ...spec }, ada.as);
    expect(again.agent?.id).toBe(agent!.id);
    const { id: agentId } = agent!;
    const renamed = await runtime.configureAgent(
      {
        requestId: createId(),
        agentId,
        name: 'Archivist',
        toolPolicy: {
          rules: [{ tool: 'cron_add', trust: 'guest', verdict: 'refuse' }],
          private: false,
        },
      },
      ada.as,
    );
    expect(renamed.agent).toMatchObject({ label: 'Archivist' });
    const message = { requestId: createId(), agentId, text: 'File this' };
    await runtime.sendAgentMessage(message, desk.as);
    await eventually(async () => (await summariesOf(ada, agentId)).at(-1) === 'agent: Done.');
    await runtime.endAgent({ requestId: createId(), agentId }, ada.as);
    const selector = { $case: 'agentId', value: agentId } as const;
    const { agent: ended } = await runtime.getAgent({ selector }, ada.as);
    expect(ended?.lifecycle).toBe(AgentLifecycle.DEAD);
    await expect(
      runtime.sendAgentMessage({ ...message, requestId: createId() }, desk.as),
    ).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
});
