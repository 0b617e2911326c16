import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AgentLifecycle, AgentStrategy, type Agent } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';

const stack = useStack({
  services: agentServices,
  replicas: { 'agent-runtime': 2 },
  env: { DAYCARE_AGENT_SLEEP_AFTER_MS: '3000' },
});
const { people, agents, runtime, otherRuntime } = stack;

const { ACTIVE, SLEEPING } = AgentLifecycle;

async function lifecycleOf({ as }: Person, { id }: Actor): Promise<AgentLifecycle> {
  const request = { selector: { $case: 'agentId', value: id } } as const;
  return (await runtime.getAgent(request, as)).agent!.lifecycle;
}

const whenAll = (person: Person, actors: Actor[], lifecycle: AgentLifecycle) =>
  eventually(async () => {
    const lifecycles = await Promise.all(actors.map((actor) => lifecycleOf(person, actor)));
    return lifecycles.every((current) => current === lifecycle);
  });

async function mostRecent({ as }: Person): Promise<Agent> {
  const strategy = AgentStrategy.MOST_RECENT_FOREGROUND;
  const request = { selector: { $case: 'strategy', value: strategy } } as const;
  return (await otherRuntime.getAgent(request, as)).agent!;
}

describe('an idle agent', () => {
  it('idle agents fall asleep, and a friend message wakes only the most recent one', async () => {
    const [bob, ada] = await people.newFriends();
    const [desk, phone] = [
      await agents.foreground(ada, 'desk'),
      await agents.foreground(ada, 'phone'),
    ];
    expect([await lifecycleOf(ada, desk), await lifecycleOf(ada, phone)]).toEqual([ACTIVE, ACTIVE]);
    await whenAll(ada, [desk, phone], SLEEPING);
    expect((await mostRecent(ada)).id).toBe(phone.id);
    await people.message(bob, ada, 'Wake up');
    await whenAll(ada, [phone], ACTIVE);
    const received = `friend:${bob.nametag} (silent): Wake up`;
    const seen = new Set<AgentLifecycle>();
    await eventually(async () => {
      const last = (await historyOf(runtime, ada, desk.id)).map(summaryOf).at(-1);
      seen.add(await lifecycleOf(ada, desk));
      return last === received;
    });
    expect([...seen]).toEqual([SLEEPING]);
  });

  it('MOST_RECENT_FOREGROUND selects a sleeping agent only if no foreground agent is active', async () => {
    const ada = await people.newPerson();
    const [desk, phone] = [
      await agents.foreground(ada, 'desk'),
      await agents.foreground(ada, 'phone'),
    ];
    const keeper = await agents.permanent(ada);
    await whenAll(ada, [desk, phone], SLEEPING);
    const send = { requestId: createId(), agentId: desk.id, text: 'Wake up' };
    await runtime.sendAgentMessage(send, keeper.as);
    expect(await mostRecent(ada)).toMatchObject({ id: desk.id, lifecycle: ACTIVE });
    await whenAll(ada, [desk], SLEEPING);
    expect(await mostRecent(ada)).toMatchObject({ id: phone.id, lifecycle: SLEEPING });
  });
});
