import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { BSON } from 'mongodb';
import { serviceNames } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { historyOf, post } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';

const stack = useSharedStack();
const { people, agents, identity, graph, runtime } = stack;

/** Returns where the text is still stored: as `service.collection` or the name of a file. */
async function findStored(text: string): Promise<string[]> {
  const wanted = Buffer.from(text);
  const stored = serviceNames.map(async (service) => {
    const names = await stack.db(service).listCollections().toArray();
    const perCollection = names.map(async ({ name }) => {
      const all = await stack.db(service).collection(name).find().toArray();
      const containsText = all.some((document) =>
        Buffer.from(BSON.serialize(document)).includes(wanted),
      );
      return containsText ? [`${service}.${name}`] : [];
    });
    return (await Promise.all(perCollection)).flat();
  });
  const entries = await readdir(stack.usersDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const inFiles = files.map(async ({ parentPath, name }) => {
    const content = await readFile(join(parentPath, name)).catch(() => Buffer.alloc(0));
    return content.includes(wanted) ? [name] : [];
  });
  return (await Promise.all([...stored, ...inFiles])).flat().sort();
}

it('after a user is deleted, nothing that the user wrote or named is still stored', async () => {
  const marker = `plant${createId()}`;
  const admin = { metadata: stack.adminMetadata };
  const named = { requestId: createId(), name: `Name ${marker}` };
  const { user } = await identity.createUser(named, admin);
  const ada = { ...user!, as: await people.signIn(user!.id) };
  const friend = await people.newPerson();
  await people.befriend(ada, friend);
  const { agentId } = await runtime.postMessage(post(`Message ${marker}`), ada.as);
  const actor = { id: agentId, userId: ada.id, as: await people.signIn(ada.id, agentId) };
  const tool = (name: string, args: object) => agents.callTool(actor, name, args);
  const spec = {
    name: `Cook ${marker}`,
    description: `Desc ${marker}`,
    systemPrompt: `Prompt ${marker}`,
  };
  const { subuserId } = await tool('subuser_create', spec);
  await graph.shareSubuser(
    { requestId: createId(), friendNametag: friend.nametag, subuserId: subuserId! },
    ada.as,
  );
  await tool('memory_write', { title: `Title ${marker}`, content: `Content ${marker}` });
  await tool('channel_create', { name: 'ops' });
  await tool('channel_send', { channel: 'ops', message: `Channel ${marker}` });
  await tool('emit_signal', { type: 'build:done', data: { text: `Signal ${marker}` } });
  await tool('cron_add', {
    name: `cron ${marker}`,
    schedule: '0 0 1 1 *',
    prompt: `Cron ${marker}`,
  });
  await tool('file_write', { path: 'home/note.txt', content: `File ${marker}` });
  await eventually(async () => (await historyOf(runtime, ada, agentId)).length > 2);
  expect((await findStored(marker)).length).toBeGreaterThan(5);
  await identity.deleteUser({ requestId: createId(), userId: ada.id }, ada.as);
  await eventually(async () => (await findStored(marker)).length === 0, {
    timeoutMs: 20_000,
  }).catch(() => undefined);
  expect(await findStored(marker)).toEqual([]);
});
