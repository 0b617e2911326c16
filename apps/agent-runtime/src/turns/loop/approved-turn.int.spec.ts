import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { z } from 'zod';
import type { Agent } from '../../agents/domain/agent';
import type { ToolCall } from '../../agents/domain/context/history-record';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import type { ModelProvider } from '../../models/providers/model-provider';
import type { PermissionDecision } from '../../permissions/domain/permission';
import { resetItem, startTestPermissions } from '../../test-support/test-permissions';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';
import { testRegistry, testTool } from '../../test-support/test-tool';
import { stopTurnOf } from '../../test-support/turns/stop-turn-of';
import type { CallGuardDeps } from '../../tools/registry/call-guard';
import { labelled } from '../../tools/domain/tool-outcome';
import { anyAgent, everyone } from '../../tools/registry/tool-access';

/** What was written, with the request id of the call and the trust of its turn. */
const written: { text: string; requestId: string; trust: string }[] = [];
let beforeReturn: () => Promise<void> = async () => undefined;

const write = testTool('write', {
  description: 'Writes something down.',
  schema: { text: z.string() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  async execute({ text }, { requestId, trust }) {
    written.push({ text, requestId, trust });
    await beforeReturn();
    return { written: text };
  },
});

const look = testTool('look', {
  description: 'Shows what guests have written.',
  schema: {},
  isVisibleTo: everyone,
  authorise: anyAgent,
  execute: async () => labelled({ text: 'Write more!' }, { provenance: 'guest' }),
});
const lookRow = { verdicts: { person: 'run', own: 'run', guest: 'run', outside: 'run' } } as const;

const stage = useFixture(async () => {
  const approvals: Partial<CallGuardDeps> = {};
  const tools = testRegistry([write, look], {
    extraRows: { look: lookRow },
    requestApproval: (request) => approvals.requestApproval!(request),
    confirmApproval: (...approval) => approvals.confirmApproval!(...approval),
  });
  const runtime = await startTestRuntime({ tools });
  const permissions = await startTestPermissions(runtime);
  Object.assign(approvals, permissions);
  return {
    runtime,
    permissions,
    async close() {
      await permissions.close();
      await runtime.close();
    },
  };
});

/** The tool calls of a model that an attacker controls, one list per answer; it says "done" when none are left. */
let answers: (readonly Partial<ToolCall>[])[] = [];
const hostileProvider: ModelProvider = {
  name: 'hostile',
  async answer() {
    const toolCalls = (answers.shift() ?? []).map((call, index) => ({
      id: `c${index}`,
      name: 'write',
      argumentsJson: '{"text":"mine"}',
      ...call,
    }));
    const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
    return { text: toolCalls.length > 0 ? '' : 'done', toolCalls, usage };
  },
};
const lookCall: Partial<ToolCall> = { name: 'look', argumentsJson: '{}' };
const saying = (text: string): Partial<ToolCall> => ({ argumentsJson: JSON.stringify({ text }) });

beforeEach(() => {
  written.length = 0;
  answers = [];
  beforeReturn = async () => undefined;
});

/** A message by which a friend starts a turn. */
function friendMessage({ id: agentId, userId }: Agent): InboxItem {
  const common = { agentId, userId, messageId: createId(), acceptedAt: new Date() };
  const text = { text: 'Write it down!', origin: 'friend:otter7', silent: false, hops: 3 };
  return { kind: 'system_message', ...common, ...text, senderUserId: createId() };
}
const sendFromFriend = (agent: Agent) =>
  stage.runtime.putItems([{ agent, item: friendMessage(agent) }]);
const whenIdle = (agent: Agent) =>
  eventually(async () => (await stage.runtime.inbox.countByAgent([agent])).size === 0);
const requestsOf = async ({ userId }: Agent, states: readonly 'pending'[] = []) =>
  (await stage.permissions.list({ userId, states, agentId: '', pageSize: 0, pageToken: '' }))
    .requests;
const decide = (
  { userId }: Agent,
  permissionRequestId: string,
  decision: PermissionDecision = 'grant',
) => stage.permissions.decide({ userId, requestId: createId(), permissionRequestId, decision });
/** An agent whose turn, started by a friend, has led to a permission request; no replica is serving it now. */
async function agentWithRequest(
  ...calls: typeof answers
): Promise<{ agent: Agent; requestId: string }> {
  const agent = await stage.runtime.newAgent();
  answers = calls.length > 0 ? calls : [[saying('mine')]];
  const stopServing = await serveNext(stage.runtime, hostileProvider);
  await sendFromFriend(agent);
  await whenIdle(agent);
  await stopServing();
  const [request] = await requestsOf(agent, ['pending']);
  return { agent, requestId: request!.id };
}

describe('a call caused by a friend’s message', () => {
  it('a call caused by a friend’s message runs once after approval, with the arguments that were shown and the friend’s trust', async () => {
    const { agent, requestId } = await agentWithRequest();
    expect(written).toEqual([]);
    await decide(agent, requestId);
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await whenIdle(agent);
    await stopServing();
    expect(written).toMatchObject([{ text: 'mine', trust: 'guest' }]);
    expect((await stage.runtime.recordsOf(agent)).slice(-4)).toMatchObject([
      { kind: 'user_message', origin: 'system', text: expect.stringContaining('approved') },
      { kind: 'assistant_message', toolCalls: [{ argumentsJson: '{"text":"mine"}' }] },
      { kind: 'tool_result', resultJson: '{"written":"mine"}' },
      { kind: 'assistant_message', text: 'done' },
    ]);
  });

  it('an approval covers no other call in its turn, whatever id the model gives that call', async () => {
    const { agent, requestId } = await agentWithRequest();
    await decide(agent, requestId);
    answers = [[{ id: `approved-${requestId}`, ...saying('more') }], [saying('mine')]];
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await whenIdle(agent);
    await stopServing();
    expect(written.map(({ text }) => text)).toEqual(['mine']);
    const waiting = await requestsOf(agent, ['pending']);
    expect(waiting.map(({ call }) => call?.argumentsJson).sort()).toEqual([
      '{"text":"mine"}',
      '{"text":"more"}',
    ]);
  });

  it('when a replica dies during an approved call, the next replica retries the call with the same request id', async () => {
    const { agent, requestId } = await agentWithRequest();
    await decide(agent, requestId);
    let isRunning = false;
    beforeReturn = () => {
      isRunning = true;
      return new Promise(() => undefined);
    };
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await eventually(() => isRunning);
    await stopServing();
    beforeReturn = async () => undefined;
    const stopNext = await serveNext(stage.runtime, hostileProvider);
    await whenIdle(agent);
    await stopNext();
    expect(written).toHaveLength(2);
    expect(new Set(written.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it.each([
    ['covers calls until the turn has read what others wrote', [], ['mine', 'more']],
    [
      'from a turn that had read what others wrote covers only the approved call',
      [[lookCall]],
      ['mine'],
    ],
  ])('an "always" grant %s', async (_what, before, texts) => {
    const { agent, requestId } = await agentWithRequest(...before, [saying('mine')]);
    await decide(agent, requestId, 'always');
    answers = [[saying('more')], [lookCall], [saying('again')]];
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await whenIdle(agent);
    await stopServing();
    expect(written.map(({ text }) => text)).toEqual(texts);
  });

  it('a call caused by a friend’s message does not run when it is denied', async () => {
    const { agent, requestId } = await agentWithRequest();
    await decide(agent, requestId, 'deny');
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await whenIdle(agent);
    await stopServing();
    expect(written).toEqual([]);
  });

  it('a call with an "always" grant does not run when the grant is revoked before the call’s turn begins', async () => {
    const { agent, requestId } = await agentWithRequest();
    await decide(agent, requestId, 'always');
    const { userId } = agent;
    const page = { agentId: '', pageSize: 0, pageToken: '' };
    const { grants } = await stage.permissions.listGrants({ userId, ...page });
    const grantId = grants[0]!.id;
    await stage.permissions.revokeGrant({ userId, requestId: createId(), grantId });
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await whenIdle(agent);
    await stopServing();
    expect(written).toEqual([]);
    const results = (await stage.runtime.recordsOf(agent)).filter(
      ({ kind }) => kind === 'tool_result',
    );
    expect(results.at(-1)).toMatchObject({ resultJson: expect.stringContaining('revoked') });
  });

  it('an approved call does not run when the agent is reset before it handles the decision', async () => {
    const { agent, requestId } = await agentWithRequest();
    const { contextFrom } = (await stage.runtime.history.findHead(agent.id))!.state;
    // Delivered by a sweep that had read the agent just before the reset.
    const lateDecision = decisionOf(agent, requestId, contextFrom);
    await stage.runtime.putItems([
      { agent, item: resetItem(agent) },
      { agent, item: lateDecision },
    ]);
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await whenIdle(agent);
    await stopServing();
    expect(written).toEqual([]);
    expect((await stage.runtime.recordsOf(agent)).at(-1)).toMatchObject({ kind: 'reset' });
  });

  it('a permission request expires when the turn that made it is stopped', async () => {
    const agent = await stage.runtime.newAgent();
    answers = [[saying('mine')]];
    let isAsked = false;
    const hanging: ModelProvider = {
      ...hostileProvider,
      answer: async (request) => {
        if (answers.length > 0) return hostileProvider.answer(request);
        isAsked = true;
        return new Promise(() => undefined);
      },
    };
    const stopServing = await serveNext(stage.runtime, hanging);
    await sendFromFriend(agent);
    await eventually(() => isAsked);
    const [request] = await requestsOf(agent, ['pending']);
    await stopTurnOf(stage.runtime, agent);
    await whenIdle(agent);
    await expect(decide(agent, request!.id)).resolves.toMatchObject({ state: 'expired' });
    await stopServing();
    expect(written).toEqual([]);
  });

  it('150 calls in one answer cause three permission requests, and three notices to the agent that talks with the user', async () => {
    const front = await stage.runtime.newAgent();
    const { id: parentAgentId, userId } = front;
    const scout = { kind: 'subagent', id: createId(), parentAgentId, name: 'scout' } as const;
    const agent = await stage.runtime.newAgent(scout, userId);
    answers = [
      Array.from({ length: 150 }, (_, index) => ({ id: `${index}`, ...saying(`${index}`) })),
    ];
    const stopServing = await serveNext(stage.runtime, hostileProvider);
    await sendFromFriend(agent);
    await Promise.all([whenIdle(agent), whenIdle(front)]);
    await stopServing();
    expect(await requestsOf(agent)).toHaveLength(3);
    const notices = (await stage.runtime.recordsOf(front)).filter(
      ({ kind }) => kind === 'user_message',
    );
    expect(notices).toHaveLength(3);
    expect(written).toEqual([]);
  });
});

/** A decision as the permissions feature delivers it. */
function decisionOf(
  { id: agentId, userId }: Agent,
  permissionRequestId: string,
  contextFrom: number,
): InboxItem {
  return {
    kind: 'permission_decision',
    agentId,
    userId,
    messageId: createId(),
    acceptedAt: new Date(),
    permissionRequestId,
    permission: 'tool:write',
    granted: true,
    contextFrom,
    call: { toolName: 'write', argumentsJson: '{"text":"mine"}' },
  };
}
