import { createHash } from 'node:crypto';
import { createId } from '@daycare/api/create-id';
import { OverlapPolicy } from '@daycare/contracts/agent-runtime';
import type { User } from '@daycare/contracts/identity';
import { eventually } from '@daycare/testing';
import type { Actor } from '../people/agents';
import { download, upload } from '../people/files';
import { historyOf, post, summaryOf, whenRecorded } from '../people/history';
import type { Person } from '../people/people';
import { whenDrained } from '../load/message-storm';
import type { Stack } from '../stack/stack';

/** Two friends with examples of the data that is stored about people. */
export interface Household {
  readonly ada: Person;
  readonly bob: Person;
  readonly helper: User;
  readonly agent: Actor;
  readonly messageId: string;
  readonly fileId: string;
  readonly nodeId: string;
}

/** Creates the two friends and their data in a stack. None of the data changes on its own while a story runs. */
export async function fillHousehold(stack: Stack): Promise<Household> {
  const { people, agents, runtime, graph } = stack;
  const [ada, bob] = await people.newFriends();
  const helper = await people.newSubuser(ada);
  await people.share(ada, bob, helper);
  await people.acceptShare(bob, helper);
  const { agentId } = await runtime.postMessage(post('Hello, desk'), ada.as);
  await whenRecorded(runtime, ada, agentId, 2);
  const agent = { id: agentId, userId: ada.id, as: await people.signIn(ada.id, agentId) };
  const { nodeId = '' } = await agents.callTool(agent, 'memory_write', {
    title: 'Tea',
    content: 'Green, three minutes. ÄÖ→',
  });
  await agents.callTool(agent, 'file_write', { path: 'home/plans/trip.txt', content: 'Lisbon\n' });
  const { file } = await upload(runtime, ada, 'photo.bin', Buffer.alloc(3_000_000, 7));
  const cron = { name: 'yearly', schedule: '0 0 1 1 *', prompt: 'Look back.', timeZone: 'UTC' };
  const rules = { agentId: '', once: false, overlap: OverlapPolicy.SKIP, quiet: false };
  await runtime.createCron({ requestId: createId(), ...cron, ...rules }, ada.as);
  const request = { requestId: createId(), nametag: bob.nametag, message: 'Dinner at eight?' };
  const { messageId } = await graph.sendFriendMessage(request, ada.as);
  await eventually(async () => (await graph.getMessageStatus({ messageId }, ada.as)).settledAt);
  await whenDrained(stack, 60_000);
  return { ada, bob, helper, agent, messageId, fileId: file!.id, nodeId };
}

/** Reads everything that `fillHousehold` has stored, as the two friends see it. */
export async function describeHousehold(stack: Stack, household: Household): Promise<object> {
  const { identity, graph, runtime, agents } = stack;
  const { ada, bob, helper, agent, messageId, fileId, nodeId } = household;
  const everything = { pageSize: 0, pageToken: '' };
  const file = await download(runtime, ada, fileId);
  return {
    users: await Promise.all(
      [ada, bob].map(async ({ id: userId, as }) => (await identity.getUser({ userId }, as)).user),
    ),
    subusers: (await identity.listSubusers(everything, ada.as)).subusers,
    ties: await Promise.all([ada, bob].map(({ as }) => graph.listFriends(everything, as))),
    status: await graph.getMessageStatus({ messageId }, ada.as),
    history: await historyOf(runtime, ada, agent.id),
    memory: [
      await agents.callTool(agent, 'memory_list', {}),
      await agents.callTool(agent, 'memory_read', { nodeId }),
    ],
    homeFile: await agents.callTool(agent, 'file_read', { path: 'home/plans/trip.txt' }),
    upload: {
      header: file.header,
      sha256: createHash('sha256').update(file.content).digest('hex'),
    },
    crons: (await runtime.listCrons(everything, ada.as)).crons,
    helperId: helper.id,
  };
}

/** The ids by which `openHousehold` finds the rest of a household. */
export interface HouseholdIds {
  readonly adaId: string;
  readonly bobId: string;
  readonly helperId: string;
  readonly agentId: string;
  readonly messageId: string;
  readonly fileId: string;
  readonly nodeId: string;
}

export function idsOf({ ada, bob, helper, agent, ...otherIds }: Household): HouseholdIds {
  return { adaId: ada.id, bobId: bob.id, helperId: helper.id, agentId: agent.id, ...otherIds };
}

/** Finds the same people in another stack, and signs them in there. */
export async function openHousehold(stack: Stack, ids: HouseholdIds): Promise<Household> {
  const { people, identity, adminMetadata: metadata } = stack;
  const { adaId, bobId, helperId, agentId, ...otherIds } = ids;
  const find = async (userId: string): Promise<Person> => {
    const { user } = await identity.getUser({ userId }, { metadata });
    return { ...user!, as: await people.signIn(userId) };
  };
  const [ada, bob, helper] = await Promise.all([find(adaId), find(bobId), find(helperId)]);
  const agent = { id: agentId, userId: adaId, as: await people.signIn(adaId, agentId) };
  return { ada, bob, helper, agent, ...otherIds };
}

/** Sends a message from Ada to her agent; resolves when the agent has answered. */
export async function converse(
  { runtime }: Stack,
  { ada, agent }: Household,
  text: string,
): Promise<void> {
  await runtime.postMessage(post(text), ada.as);
  await eventually(async () => {
    const records = (await historyOf(runtime, ada, agent.id)).map(summaryOf);
    return records.some((record) => record.includes(`You said: ${text}`));
  });
}
