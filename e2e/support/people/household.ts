import type { User } from '@daycare/contracts/identity';
import type { Actor, Agents } from './agents';
import type { People, Person } from './people';

/** A person with an agent, and a subuser with its gateway. */
export interface Household {
  readonly person: Person;
  readonly agent: Actor;
  readonly subuser: User;
  readonly gateway: Actor;
}

export async function createHousehold({ people, agents }: HouseholdDeps): Promise<Household> {
  const person = await people.newPerson();
  const [agent, subuser] = await Promise.all([
    agents.foreground(person),
    people.newSubuser(person),
  ]);
  return { person, agent, subuser, gateway: await agents.gateway(subuser) };
}

interface HouseholdDeps {
  readonly people: People;
  readonly agents: Agents;
}

/** Returns all ids and nametags in a household. */
export function tracesOf({ person, agent, subuser, gateway }: Household): string[] {
  return [person.id, person.nametag, agent.id, subuser.id, subuser.nametag, gateway.id];
}

/** The lines of the topology text that list a household's agents. `you` marks the agent that reads the text. */
export const agentSection = ({ agent, gateway }: Household, you: string): string[] => [
  '## Agents (2)',
  `${agent.id}${you} type=user label="cli:me#desk" lifecycle=active`,
  `${gateway.id} type=subuser label="Helper" lifecycle=active`,
];

export const emptyWiringSections = [
  '## Cron Tasks (0)',
  'None',
  '## Heartbeat Tasks (0)',
  'None',
  '## Signal Subscriptions (0)',
  'None',
  '## Channels (0)',
  'None',
  '## Expose Endpoints (0)',
  'None',
];

export const subuserSection = ({ subuser, gateway }: Household): string[] => [
  '## Subusers (1)',
  `${subuser.id} name="Helper" nametag=${subuser.nametag} gateway=${gateway.id} lifecycle=active`,
];

export const shareText = ({ subuser, gateway }: Household, status: string): string =>
  `Helper (nametag=${subuser.nametag}) gateway=${gateway.id} status=${status}`;
