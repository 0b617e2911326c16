import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';

const stack = useSharedStack();
const { people, agents, runtime } = stack;

let ada: Person;
let owner: Actor;
let gateway: Actor;

beforeAll(async () => {
  ada = await people.newPerson();
  owner = await agents.foreground(ada);
  const spec = { name: 'Cook', systemPrompt: 'Cook well.' };
  const { subuserId, gatewayAgentId } = await run(owner, 'subuser_create', spec);
  const as = await people.signIn(subuserId!, gatewayAgentId);
  gateway = { id: gatewayAgentId!, userId: subuserId!, as };
});

const run: typeof agents.callTool = (...call) => agents.callTool(...call);

/** Returns the files in the users' directories that contain this text. */
async function filesContaining(text: string): Promise<string[]> {
  const { usersDir } = stack;
  const entries = await readdir(usersDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const matching = await Promise.all(
    files.map(async (file) => ((await readFile(file, 'utf8')).includes(text) ? [file] : [])),
  );
  return matching.flat().map((file) => file.slice(usersDir.length + 1));
}

describe('a subuser’s files and memory', () => {
  it('a subuser’s files are only in its own directory, and the owner’s agent can neither find nor read them', async () => {
    const secret = `saffron${createId()}`;
    const note = { title: `Paella ${secret}`, content: `Needs ${secret}` };
    const { nodeId } = await run(gateway, 'memory_write', note);
    await run(gateway, 'file_write', { path: 'home/list.txt', content: secret });
    const subuserId = gateway.userId;
    expect((await filesContaining(secret)).sort()).toEqual([
      `${subuserId}/home/list.txt`,
      `${subuserId}/memory/graph/${nodeId}.md`,
    ]);
    expect(await run(gateway, 'memory_search', { query: secret })).toMatchObject({ count: 1 });

    await run(owner, 'memory_write', { title: 'Mine', content: 'Nothing special' });
    for (const query of [secret, 'Paella']) {
      expect(JSON.stringify(await run(owner, 'memory_search', { query }))).not.toContain(nodeId);
      expect(JSON.stringify(await run(owner, 'file_search', { query }))).not.toContain('list.txt');
    }
    await expect(run(owner, 'memory_read', { nodeId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(run(owner, 'file_read', { path: 'home/list.txt' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('the owner can read, but not change, what the subuser’s agents can read; the owner’s agents and strangers can do neither', async () => {
    const secret = `fennel${createId()}`;
    await run(gateway, 'file_write', { path: 'home/secret.txt', content: secret });
    const file = { path: 'home/secret.txt' };
    const person = { ...gateway, as: ada.as };
    expect(JSON.stringify(await run(person, 'file_read', file))).toContain(secret);
    await expect(run(person, 'file_write', { ...file, content: 'changed' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const agent = { ...gateway, as: await people.signIn(ada.id, owner.id) };
    await expect(run(agent, 'file_read', file)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const stranger = await people.newPerson('Eve');
    for (const name of ['file_read', 'file_write'])
      await expect(
        run({ ...gateway, as: stranger.as }, name, { ...file, content: 'changed' }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(JSON.stringify(await run(gateway, 'file_read', file))).toContain(secret);
  });

  it('the owner’s agent can have the gateway agent search the subuser’s memory', async () => {
    const secret = `cumin${createId()}`;
    await run(gateway, 'memory_write', { title: 'Falafel', content: secret });
    const order = `/memory_search ${JSON.stringify({ query: 'Falafel' })}`;
    await run(owner, 'send_agent_message', { agentId: gateway.id, text: order });
    await eventually(async () => {
      const lines = (await historyOf(runtime, ada, gateway.id)).map(summaryOf);
      return lines.some((line) => line.startsWith('agent: memory_search') && line.includes(secret));
    });
  });
});

it('a renamed subuser appears under its new name in the agent list and in the subuser list', async () => {
  await run(owner, 'subuser_rename', { subuserId: gateway.userId, name: 'Chef' });
  const all = { pageSize: 0, pageToken: '', kinds: [], includeDead: false };
  await eventually(async () => {
    const request = { ...all, subuserId: gateway.userId };
    const { agents: listed } = await runtime.listAgents(request, ada.as);
    return listed.some(({ label }) => label === 'Chef');
  });
  expect((await run(owner, 'subuser_list', {}))['summary']).toContain('name="Chef"');
});

it('a subuser that exists only in identity receives its first messages through a gateway agent that is created for the subuser', async () => {
  const [eve, bob] = await people.newFriends();
  const helper = await people.newSubuser(eve);
  await people.share(eve, bob, helper);
  await people.acceptShare(bob, helper);
  const list = { pageSize: 0, pageToken: '', kinds: [], includeDead: false, subuserId: helper.id };
  expect((await runtime.listAgents(list, eve.as)).agents).toEqual([]);

  await people.message(bob, helper, 'First of all');
  await people.message(eve, helper, 'And then');
  const gateways = await eventually(async () => {
    const { agents: listed } = await runtime.listAgents(list, eve.as);
    return listed.length > 0 && listed;
  });
  expect(gateways).toMatchObject([{ label: helper.name }]);
  await eventually(async () => {
    const lines = (await historyOf(runtime, eve, gateways[0]!.id)).map(summaryOf);
    return (
      lines.includes(`friend:${bob.nametag}: First of all`) &&
      lines.includes(`owner:${eve.nametag}: And then`)
    );
  });
  const all = { pageSize: 0, pageToken: '', agentId: '' };
  expect((await runtime.listDeadLetters(all, eve.as)).deadLetters).toEqual([]);
});
