import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { eventually } from '@daycare/testing';
import { AgentCast, type Actor } from './support/agent-cast';
import { historyOf, startAgentStack, summaryOf, type AgentStack } from './support/agent-stack';
import type { Person } from './support/people';

let agents: AgentStack;
let cast: AgentCast;
let ada: Person;
let owner: Actor;
let gateway: Actor;

beforeAll(async () => {
  agents = await startAgentStack();
  cast = await AgentCast.open(agents);
  ada = await agents.people.newPerson();
  owner = await cast.foreground(ada);
  const wish = { name: 'Cook', systemPrompt: 'Cook well.' };
  const { subuserId, gatewayAgentId } = await run(owner, 'subuser_create', wish);
  const as = await agents.people.signIn(subuserId!, gatewayAgentId);
  gateway = { id: gatewayAgentId!, userId: subuserId!, as };
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

async function run({ id: agentId, as }: Actor, name: string, args: object) {
  const request = { requestId: createId(), agentId, name, argumentsJson: JSON.stringify(args) };
  const { resultJson } = await cast.runtime.callTool(request, as);
  return JSON.parse(resultJson) as Record<string, string>;
}

/** Below whose directories a text is, on the disk. */
async function whereIs(text: string): Promise<string[]> {
  const { usersDir } = agents.stack;
  const entries = await readdir(usersDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const having = await Promise.all(
    files.map(async (file) => ((await readFile(file, 'utf8')).includes(text) ? [file] : [])),
  );
  return having.flat().map((file) => file.slice(usersDir.length + 1));
}

describe('what an agent of a subuser writes', () => {
  it('is under the subuser’s directory and nowhere else, and no tool of the owner shows it', async () => {
    const secret = `saffron${createId()}`;
    const note = { title: `Paella ${secret}`, content: `Needs ${secret}` };
    const { nodeId } = await run(gateway, 'memory_write', note);
    await run(gateway, 'file_write', { path: 'home/list.txt', content: secret });
    const own = gateway.userId;
    expect((await whereIs(secret)).sort()).toEqual([
      `${own}/home/list.txt`,
      `${own}/memory/graph/${nodeId}.md`,
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

  it('reaches the owner through the gateway', async () => {
    const secret = `cumin${createId()}`;
    await run(gateway, 'memory_write', { title: 'Falafel', content: secret });
    const order = `/memory_search ${JSON.stringify({ query: 'Falafel' })}`;
    await run(owner, 'send_agent_message', { agentId: gateway.id, text: order });
    await eventually(async () => {
      const said = (await historyOf(cast.runtime, ada, gateway.id)).map(summaryOf);
      return said.some((line) => line.startsWith('agent: memory_search') && line.includes(secret));
    });
  });
});

it('a new name shows wherever the subuser is shown, also when identity was asked directly', async () => {
  await run(owner, 'subuser_rename', { subuserId: gateway.userId, name: 'Chef' });
  const all = { pageSize: 0, pageToken: '', kinds: [], includeDead: false };
  await eventually(async () => {
    const request = { ...all, subuserId: gateway.userId };
    const { agents: found } = await cast.runtime.listAgents(request, ada.as);
    return found.some(({ label }) => label === 'Chef');
  });
  expect((await run(owner, 'subuser_list', {}))['summary']).toContain('name="Chef"');
});
