import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { OutboxStore } from '@daycare/messaging';
import type { Agent } from '../domain/agent';
import { makeSkillCatalog } from '../skills/skill-catalog';
import { makeUserSkills } from '../skills/user-skills';
import { ContactStore } from '../store/contact-store';
import { testContext } from '../test-support/test-agent';
import { startTestRuntime, type TestRuntime } from '../test-support/test-runtime';
import { makeRankForeground } from '../usecases/rank-foreground';
import { makeResetAgent } from '../usecases/reset-agent';
import { makeSendAgentMessage } from '../usecases/send-agent-message';
import { makeTellAgent } from '../usecases/tell-agent';
import { makeAgentResetTool } from './agent-reset';
import { makeSendAgentMessageTool } from './send-agent-message';
import { makeSkillReadTool } from './skill-read';
import type { ToolContext } from './tool';
import { ToolRegistry } from './tool-registry';

let runtime: TestRuntime;
let tools: ToolRegistry;
const now = (): Date => new Date();
const longSkill = Array.from({ length: 2_000 }, (_, index) => `line ${index}`).join('\n');

beforeAll(async () => {
  runtime = await startTestRuntime();
  const { db } = runtime.mongo;
  const outbox = new OutboxStore(db, 'agent-runtime');
  const deps = { ...runtime, outbox, contacts: new ContactStore(db), sleepAfterMs: 60_000, now };
  const sendAgentMessage = makeSendAgentMessage({
    ...deps,
    rankForeground: makeRankForeground(deps),
    tellAgent: makeTellAgent({ ...deps, wakeOutbox: () => undefined }),
    findRelation: async () => undefined,
    guards: { maxHops: 3, maxSubagents: 3, maxDepth: 3 },
  });
  const skills = makeSkillCatalog({
    ...makeUserSkills(undefined),
    read: async (_, name) => (name === 'long' ? longSkill : undefined),
  });
  tools = new ToolRegistry([
    makeSendAgentMessageTool({ sendAgentMessage }),
    makeAgentResetTool({ resetAgent: makeResetAgent(deps) }),
    makeSkillReadTool({ skills }),
  ]);
});
afterAll(() => runtime.close());

async function call(name: string, args: object, agent: Agent, context: Partial<ToolContext> = {}) {
  const given = testContext(agent, { requestId: createId(), ...context });
  return JSON.parse((await tools.call(name, JSON.stringify(args), given)).resultJson);
}

const inboxOf = (agent: Agent) => runtime.inbox.next(agent, 10);

describe('send_agent_message', () => {
  it('reaches another agent of the user once, one hop further', async () => {
    const from = await runtime.newAgent();
    const to = await runtime.newAgent(undefined, from.userId);
    const args = { text: 'ready', agentId: to.id };
    const context = { requestId: createId(), hops: 2 };
    const sent = await call('send_agent_message', args, from, context);
    expect(await call('send_agent_message', args, from, context)).toEqual(sent);
    expect(sent).toMatchObject({ summary: `Message sent to agent ${to.id}`, agentId: to.id });
    expect(await inboxOf(to)).toEqual([
      expect.objectContaining({
        kind: 'system_message',
        messageId: sent.messageId,
        text: 'ready',
        origin: from.id,
        hops: 3,
      }),
    ]);
  });

  it('reaches the parent when a background agent names nobody', async () => {
    const parent = await runtime.newAgent();
    const descriptor = { kind: 'subagent', id: 'b1', parentAgentId: parent.id, name: '' } as const;
    const subagent = await runtime.newAgent(descriptor, parent.userId);
    const sent = await call('send_agent_message', { text: 'done' }, subagent);
    expect(sent.agentId).toBe(parent.id);
  });

  it('is refused when agents have passed it on too often', async () => {
    const from = await runtime.newAgent();
    const args = { text: 'again', agentId: from.id };
    await expect(call('send_agent_message', args, from, { hops: 3 })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
  });

  it("does not tell another user's agent from one that does not exist", async () => {
    const from = await runtime.newAgent();
    const stranger = await runtime.newAgent();
    const refusals = [stranger.id, createId()].map((agentId) =>
      call('send_agent_message', { text: 'hi', agentId }, from).catch((error: unknown) => error),
    );
    const [one, other] = await Promise.all(refusals);
    expect(one).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(one).toEqual(other);
    expect(await inboxOf(stranger)).toEqual([]);
  });
});

describe('agent_reset', () => {
  it("puts one reset into the agent's own inbox, however often it is repeated", async () => {
    const agent = await runtime.newAgent();
    const context = { requestId: createId() };
    const args = { message: 'We talked about foxes.' };
    const answer = await call('agent_reset', args, agent, context);
    expect(await call('agent_reset', args, agent, context)).toEqual(answer);
    expect(answer).toEqual({ summary: 'Your context will be cleared after this turn' });
    expect(await inboxOf(agent)).toEqual([
      expect.objectContaining({ kind: 'reset', message: 'We talked about foxes.' }),
    ]);
  });
});

describe('skill_read', () => {
  it('gives a short skill whole', async () => {
    const agent = await runtime.newAgent();
    const answer = await call('skill_read', { name: 'daycare-friendship' }, agent);
    expect(Object.keys(answer)).toEqual(['name', 'text']);
  });

  it('gives a long one in parts that fit into a result', async () => {
    const agent = await runtime.newAgent();
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: { text: string; nextOffset?: number } = await call(
        'skill_read',
        { name: 'long', offset },
        agent,
      );
      text += part.text;
      offset = part.nextOffset;
    }
    expect(text).toBe(longSkill);
  });

  it('does not find what is not there, and takes no path', async () => {
    const agent = await runtime.newAgent();
    for (const name of ['nothing', '../long', ''])
      await expect(call('skill_read', { name }, agent)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
  });
});
