import { createId } from '@daycare/api/create-id';
import { BudgetPeriod, OverlapPolicy } from '@daycare/contracts/agent-runtime';
import { whenDrained } from '../../support/load/message-storm';
import { post } from '../../support/people/history';
import type { Person } from '../../support/people/people';
import { silentGateway } from '../../support/stack/silent-gateway';
import type { Stack } from '../../support/stack/stack';

/** The ids in the addresses of the pages that show the example. */
export interface Example {
  readonly agentId: string;
  readonly subuserId: string;
}

/** Gives a person examples of what the console's pages can show, such as messages from the first friend. */
export async function fillExample(
  stack: Stack,
  ada: Person,
  friends: readonly [Person, Person, Person, Person],
): Promise<Example> {
  const profile = { requestId: createId(), name: 'Ada Lovelace', timeZone: 'Europe/Vienna' };
  await stack.identity.updateUser({ ...profile, userId: ada.id }, ada.as);
  for (const friend of friends.slice(0, 3)) await stack.people.befriend(ada, friend);
  await stack.graph.addFriend({ requestId: createId(), nametag: ada.nametag }, friends[3].as);
  const agentId = await say(stack, ada, 'Good morning! What is on my list for today?');
  const subuserId = await makeSubusers(stack, ada, agentId, friends[0]);
  await addPendingItems(stack, ada, friends);
  await makeSchedules(stack, ada);
  await continueConversations(stack, ada);
  await askPermission(stack, ada, agentId, friends[0]);
  return { agentId, subuserId };
}

async function say(stack: Stack, ada: Person, text: string, channelId = 'main') {
  const message = { ...post(text, channelId), connector: 'console' };
  const { agentId } = await stack.runtime.postMessage(message, ada.as);
  await whenDrained(stack, 60_000);
  return agentId;
}

async function continueConversations(stack: Stack, ada: Person): Promise<void> {
  await say(stack, ada, 'Please draft a short note to the team about the release.');
  await say(stack, ada, 'Perfect, attach it.');
  await say(stack, ada, 'Plan the trip to Lisbon', 'travel');
  await say(stack, ada, 'Read the news for me', 'news');
}

async function makeSubusers(
  { agents, people, identity }: Stack,
  ada: Person,
  agentId: string,
  grace: Person,
): Promise<string> {
  const agent = { id: agentId, userId: ada.id, as: await people.signIn(ada.id, agentId) };
  const create = async (name: string, description: string, systemPrompt: string) => {
    const spec = { name, description, systemPrompt };
    const created = await agents.callTool(agent, 'subuser_create', spec);
    return { id: String(created['subuserId']), gatewayId: String(created['gatewayAgentId']) };
  };
  const cook = await create(
    ...([
      'Cook',
      'Knows every recipe of the family',
      'You know recipes and answer briefly.',
    ] as const),
  );
  const tutor = await create(
    'Tutor',
    'Explains homework',
    'You explain, and never give the result.',
  );
  const { subusers } = people.clientOf(ada);
  for (const { id } of [cook, tutor]) await subusers.share(id, grace.nametag);
  const { user } = await identity.getUser({ userId: cook.id }, ada.as);
  await people.acceptShare(grace, user!);
  const as = await people.signIn(cook.id, cook.gatewayId);
  const gateway = { id: cook.gatewayId, userId: cook.id, as };
  for (const [nodeId, title, content] of [
    ['cake', 'Cake', 'Bake for **an hour**.'],
    ['soup', 'Soup', 'Leek and potatoes.'],
    ['bread', 'Bread', 'Let it rest overnight.'],
  ] as const)
    await agents.callTool(gateway, 'memory_write', { nodeId, title, content });
  await agents.callTool(gateway, 'file_write', { path: 'home/menu.md', content: '# This week\n' });
  await people.message(grace, user!, 'How long does the cake take?');
  await people.message(grace, ada, 'Shall we meet at noon?');
  await people.message(ada, grace, 'Gladly, at the usual place.');
  return cook.id;
}

/** Adds a subuser offered by a friend, and a message that becomes a dead letter. */
async function addPendingItems(
  stack: Stack,
  ada: Person,
  friends: readonly Person[],
): Promise<void> {
  const { people } = stack;
  const [, offerer, writer] = friends as [Person, Person, Person];
  await people.share(offerer, ada, await people.newSubuser(offerer));
  const subuser = await people.newSubuser(ada);
  await people.share(ada, writer, subuser);
  await people.acceptShare(writer, subuser);
  await silentGateway(stack, subuser);
  await people.message(writer, subuser, 'Is anyone there? I have sent the papers twice.');
}

async function makeSchedules({ runtime }: Stack, { as }: Person): Promise<void> {
  const cron = { schedule: '0 8 * * 1-5', timeZone: 'Europe/Vienna', agentId: '' };
  const options = { once: false, quiet: false, overlap: OverlapPolicy.SKIP };
  const prompt = 'Summarise what happened overnight.';
  await runtime.createCron(
    { ...cron, ...options, requestId: createId(), name: 'morning', prompt },
    as,
  );
  const title = 'Inbox zero';
  const check = 'Check whether anything is unanswered.';
  await runtime.createHeartbeat({ requestId: createId(), title, prompt: check, quiet: false }, as);
  const everything = { userId: '', agentId: '', guests: false };
  const limit = { period: BudgetPeriod.DAY, maxTokens: 50_000 };
  await runtime.setBudget({ requestId: createId(), ...everything, ...limit }, as);
}

async function askPermission(
  stack: Stack,
  ada: Person,
  agentId: string,
  friend: Person,
): Promise<void> {
  const rules = [{ tool: 'friend_send', trust: 'person', verdict: 'ask' }];
  const toolPolicy = { rules, private: false };
  await stack.runtime.configureAgent({ requestId: createId(), agentId, toolPolicy }, ada.as);
  await say(stack, ada, `Ask ${friend.nametag} whether we can move it to one.`);
}
