import { extendHistory, seedLargeAccount } from '@daycare/testing';
import type { Person } from '../../people/people';
import type { Stack } from '../../stack/stack';
import { whenDrained } from '../message-storm';

/** The size of the account whose console is measured. */
export const accountSize = { agents: 1_000, friends: 500, subusers: 20, records: 10_000 };

const answers = [
  'A short note.',
  'The **second** point needs `care`: see the list.\n\n- one\n- two\n- three',
  '```ts\nconst answer = await ask("how are you?");\nconsole.log(answer);\n```\n\nThat is all.',
  `A longer paragraph, as people write them. ${'It goes on for a while. '.repeat(12)}`,
];

/** Returns a message of the size and shape that people send. */
export function textOf(number: number): string {
  return `Message ${number}. ${answers[number % answers.length] ?? ''}`;
}

/** Gives a person agents, friends and one agent with a long history; resolves to that agent's id. */
export async function fillAccount(stack: Stack, person: Person): Promise<string> {
  await seedLargeAccount(stack, person, accountSize);
  const { agentId } = await stack.people
    .clientOf(person)
    .agent({ connector: 'cli', channelId: 'desk' })
    .ask(textOf(0));
  await whenDrained(stack, 60_000);
  const { records: count } = accountSize;
  const database = stack.databaseOf('agent-runtime');
  const history = { agentId, userId: person.id, count, textOf };
  await extendHistory({ mongoUrl: stack.mongoUrl, database }, history);
  return agentId;
}
