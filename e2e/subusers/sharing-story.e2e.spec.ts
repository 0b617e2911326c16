import { afterAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { conversationOf, eventually, ModelServer, openAiEvents } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

let server: ModelServer;
const findings = 'Three new papers since Monday.';

/**
 * The gateway sends its findings to whoever is named after "tell", or else to whoever wrote to it. Every other agent
 * only answers "Noted."
 */
function respond(body: unknown) {
  const [system, last] = [conversationOf(body)[0], conversationOf(body).at(-1)];
  const isGateway = JSON.stringify(system).includes('You are the gateway of a subuser');
  if (!isGateway || last?.role === 'tool') return { steps: openAiEvents({ text: ['Noted.'] }) };
  const [, agentId] = /tell (\S+?:\S+?\d+)/.exec(JSON.stringify(last)) ?? [];
  const fragments = [JSON.stringify({ text: findings, ...(agentId ? { agentId } : {}) })];
  const call = { id: 'call_1', name: 'send_agent_message', fragments };
  return { steps: openAiEvents({ calls: [call] }) };
}

const stack = useStack(async () => {
  server = await ModelServer.start(({ body }) => respond(body));
  const env = { DAYCARE_OPENAI_URL: server.url, DAYCARE_MODEL: 'openai/test' };
  return { services: agentServices, env };
});
const { people, agents, runtime, graph } = stack;
afterAll(() => server.close());

interface Story {
  readonly ada: Person;
  readonly bob: Person;
  readonly adasAgent: Actor;
  readonly bobsAgent: Actor;
  readonly nametag: string;
  readonly subuserId: string;
  readonly gateway: Actor;
}

/** Makes Ada and Bob friends and shares a subuser of Ada's with Bob, all through tools. */
async function share(): Promise<Story> {
  const [ada, bob] = await people.newFriends();
  const [adasAgent, bobsAgent] = [await agents.foreground(ada), await agents.foreground(bob)];
  const created = await agents.callTool({ ...adasAgent, as: ada.as }, 'subuser_create', {
    name: 'research-assistant',
    systemPrompt: 'Summarize research.',
  });
  const { subuserId = '', nametag = '', gatewayAgentId = '' } = created;
  const offer = { friendNametag: bob.nametag, subuserId };
  const shared = await agents.callTool({ ...adasAgent, as: ada.as }, 'friend_share_subuser', offer);
  expect(shared).toMatchObject({ status: 'pending' });
  await whenReceived(bobsAgent, `friend:${ada.nametag}`, nametag);
  const accepted = await agents.callTool({ ...bobsAgent, as: bob.as }, 'friend_add', { nametag });
  expect(accepted).toMatchObject({ status: 'active' });
  const gateway = { id: gatewayAgentId, userId: subuserId, as: ada.as };
  return { ada, bob, adasAgent, bobsAgent, nametag, subuserId, gateway };
}

/** Resolves once an agent has recorded `times` messages from this origin that contain these words. */
async function whenReceived(agent: Actor, origin: string, words: string, times = 1): Promise<void> {
  await eventually(async () => {
    const lines = (await historyOf(runtime, agent, agent.id)).map(summaryOf);
    const matches = lines.filter((line) => line.startsWith(`${origin}: `) && line.includes(words));
    return matches.length >= times;
  });
}

const messageOf = (nametag: string, message: string) => ({ nametag, message });

describe('a shared subuser, used through tools, with a model behind its gateway agent', () => {
  it('the friend’s agent writes to the shared subuser by nametag, and is answered', async () => {
    const { bob, bobsAgent, nametag, gateway } = await share();
    const question = 'Summarize recent findings';
    const sent = await agents.callTool(bobsAgent, 'friend_send', messageOf(nametag, question));
    expect(sent).toMatchObject({ summary: `Message sent to ${nametag}` });
    await whenReceived(gateway, `friend:${bob.nametag}`, question);
    await whenReceived(bobsAgent, `subuser:${nametag}`, findings);
  });

  it('a friend who writes in person gets the answer through their own agent', async () => {
    const { bob, bobsAgent, nametag } = await share();
    const request = { requestId: createId(), ...messageOf(nametag, 'Summarize recent findings') };
    await graph.sendFriendMessage(request, bob.as);
    await whenReceived(bobsAgent, `subuser:${nametag}`, findings);
  });

  it('the owner writes to the subuser by name, in person and through an agent, and is answered', async () => {
    const { ada, adasAgent, nametag, gateway } = await share();
    const request = { requestId: createId(), ...messageOf('research-assistant', 'Anything new?') };
    const { nametag: recipient } = await graph.sendFriendMessage(request, ada.as);
    expect(recipient).toBe(nametag);
    await whenReceived(gateway, `owner:${ada.nametag}`, 'Anything new?');
    await whenReceived(adasAgent, `subuser:${nametag}`, findings);
    await agents.callTool(adasAgent, 'friend_send', messageOf('research-assistant', 'And now?'));
    await whenReceived(adasAgent, `subuser:${nametag}`, findings, 2);
  });

  it('the gateway agent can address a friend by the origin of the friend’s earlier message, until the share is revoked', async () => {
    const { ada, bob, adasAgent, bobsAgent, nametag, subuserId, gateway } = await share();
    await agents.callTool(bobsAgent, 'friend_send', messageOf(nametag, 'Hello'));
    await whenReceived(bobsAgent, `subuser:${nametag}`, findings);
    const tell = { agentId: gateway.id, text: `tell friend:${bob.nametag}` };
    await agents.callTool(adasAgent, 'send_agent_message', tell);
    await whenReceived(bobsAgent, `subuser:${nametag}`, findings, 2);
    await people.unshare(ada, bob, { id: subuserId } as never);
    const asGateway = { ...gateway, as: await people.signIn(subuserId, gateway.id) };
    const refusals = [`friend:${bob.nametag}`, 'friend:nobody1'].map((agentId) =>
      agents
        .callTool(asGateway, 'send_agent_message', { agentId, text: findings })
        .catch((error: unknown) => error),
    );
    const [revoked, unknown] = await Promise.all(refusals);
    expect(revoked).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(revoked).toEqual(unknown);
  });
});
