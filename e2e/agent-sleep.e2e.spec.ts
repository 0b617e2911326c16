import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { AgentLifecycle, AgentStrategy, type Agent } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { AgentCast, type Actor } from './support/agent-cast';
import { historyOf, startAgentStack, summaryOf, type AgentStack } from './support/agent-stack';
import type { Person } from './support/people';

let agents: AgentStack;
let cast: AgentCast;

beforeAll(async () => {
  const env = { DAYCARE_AGENT_SLEEP_AFTER_MS: '3000' };
  agents = await startAgentStack({ replicas: 2, env });
  cast = await AgentCast.open(agents);
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

const { ACTIVE, SLEEPING } = AgentLifecycle;

async function lifecycleOf({ as }: Person, { id }: Actor): Promise<AgentLifecycle> {
  const request = { selector: { $case: 'agentId', value: id } } as const;
  return (await cast.runtime.getAgent(request, as)).agent!.lifecycle;
}

const whenEach = (person: Person, actors: Actor[], lifecycle: AgentLifecycle) =>
  eventually(async () => {
    const all = await Promise.all(actors.map((actor) => lifecycleOf(person, actor)));
    return all.every((each) => each === lifecycle);
  });

async function mostRecent({ as }: Person): Promise<Agent> {
  const strategy = AgentStrategy.MOST_RECENT_FOREGROUND;
  const request = { selector: { $case: 'strategy', value: strategy } } as const;
  return (await agents.runtimes[1]!.getAgent(request, as)).agent!;
}

describe('an agent that nothing reaches', () => {
  it('falls asleep; a friend’s message wakes the most recent one and no other', async () => {
    const [ada, bob] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    await cast.befriend(bob, ada);
    const [desk, phone] = [await cast.foreground(ada, 'desk'), await cast.foreground(ada, 'phone')];
    expect([await lifecycleOf(ada, desk), await lifecycleOf(ada, phone)]).toEqual([ACTIVE, ACTIVE]);
    await whenEach(ada, [desk, phone], SLEEPING);
    expect((await mostRecent(ada)).id).toBe(phone.id);
    await cast.tell(bob, ada, 'Wake up');
    await whenEach(ada, [phone], ACTIVE);
    const heard = `friend:${bob.nametag} (silent): Wake up`;
    const seen = new Set<AgentLifecycle>();
    await eventually(async () => {
      const last = (await historyOf(cast.runtime, ada, desk.id)).map(summaryOf).at(-1);
      seen.add(await lifecycleOf(ada, desk));
      return last === heard;
    });
    expect([...seen]).toEqual([SLEEPING]);
  });

  it('is less recent than one that is awake, whoever woke that', async () => {
    const ada = await agents.people.newPerson();
    const [desk, phone] = [await cast.foreground(ada, 'desk'), await cast.foreground(ada, 'phone')];
    const keeper = await cast.permanent(ada);
    await whenEach(ada, [desk, phone], SLEEPING);
    const send = { requestId: createId(), agentId: desk.id, text: 'Wake up' };
    await cast.runtime.sendAgentMessage(send, keeper.as);
    expect(await mostRecent(ada)).toMatchObject({ id: desk.id, lifecycle: ACTIVE });
    await whenEach(ada, [desk], SLEEPING);
    expect(await mostRecent(ada)).toMatchObject({ id: phone.id, lifecycle: SLEEPING });
  });
});
