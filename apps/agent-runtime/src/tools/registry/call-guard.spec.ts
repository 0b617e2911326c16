import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { trustLevels } from '@daycare/api';
import type { StartedBy } from '../../agents';
import { testAgent, testContext } from '../../test-support/test-agent';
import { noRegistryDeps, testRegistry, testTool } from '../../test-support/test-tool';
import { labelled } from '../domain/tool-outcome';
import { toolNames, toolTable } from '../domain/tool-policy';
import type { ApprovalRequest } from '../ports/approvals';
import type { CallGuardDeps } from './call-guard';
import { anyAgent, everyone } from './tool-access';
import type { ToolContext } from './tool';
import { ToolRegistry } from './tool-registry';

const ran: string[] = [];
const tool = (name: string, result: unknown = { done: true }) =>
  testTool(name, {
    description: 'A tool',
    schema: { text: z.string().optional() },
    isVisibleTo: everyone,
    authorise: anyAgent,
    execute: async () => (ran.push(name), result),
  });

const friend: StartedBy = {
  source: 'friend',
  origin: 'friend:otter7',
  senderUserId: 'bob',
  nametag: 'otter7',
  byPerson: false,
};
const guestTurn = { trust: 'guest', startedBy: friend } as const;
const waiting = { kind: 'waiting', permissionRequestId: 'p1', expiresAt: new Date(0) } as const;

function registry(deps: Partial<CallGuardDeps> = {}) {
  ran.length = 0;
  return testRegistry([tool('cron_add'), tool('memory_read'), tool('friend_add')], deps);
}

describe('a call in a guest’s turn', () => {
  it('a call that needs approval does not run, and the person is asked about exactly that call', async () => {
    const asked: ApprovalRequest[] = [];
    const tools = registry({ requestApproval: async (request) => (asked.push(request), waiting) });
    const argumentsJson = '{ "text" : "exactly this" }';
    const outcome = await tools.answer(
      'cron_add',
      argumentsJson,
      testContext(testAgent(), guestTurn),
    );
    expect(JSON.parse(outcome.resultJson)).toMatchObject({
      status: 'waiting_for_approval',
      permissionRequestId: 'p1',
    });
    expect(outcome.isError).toBe(false);
    expect(asked).toMatchObject([{ toolName: 'cron_add', argumentsJson, ...guestTurn }]);
    expect(ran).toEqual([]);
  });

  it('a call that needs approval runs under a standing grant', async () => {
    const tools = registry({ requestApproval: async () => ({ kind: 'granted' }) });
    await tools.call('cron_add', '{}', testContext(testAgent(), guestTurn));
    expect(ran).toEqual(['cron_add']);
  });

  it('a call that needs approval is refused if there is no one to ask', async () => {
    const call = registry().call('cron_add', '{}', testContext(testAgent(), guestTurn));
    await expect(call).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(ran).toEqual([]);
  });

  it('an approval covers only the exact call it was given for', async () => {
    const confirmApproval = async (_agent: unknown, id: string) => id === 'p0';
    const tools = registry({ requestApproval: async () => waiting, confirmApproval });
    const approval = { permissionRequestId: 'p0', toolName: 'cron_add', argumentsJson: '{}' };
    const context = testContext(testAgent(), { ...guestTurn, approval });
    await tools.call('cron_add', '{ }', context);
    await tools.call('cron_add', '{"text":"x"}', context);
    expect(ran).toEqual([]);
    await tools.call('cron_add', '{}', context);
    expect(ran).toEqual(['cron_add']);
  });

  it('an approval for one tool does not cover another tool called with the same arguments', async () => {
    ran.length = 0;
    const deps = { requestApproval: async () => waiting, confirmApproval: async () => true };
    const tools = testRegistry([tool('file_write')], deps);
    const approval = { permissionRequestId: 'p0', toolName: 'cron_add', argumentsJson: '{}' };
    await tools.call('file_write', '{}', testContext(testAgent(), { ...guestTurn, approval }));
    expect(ran).toEqual([]);
  });

  it('a call is refused if its approval has been revoked in the meantime', async () => {
    const tools = registry({ requestApproval: async () => waiting });
    const approval = { permissionRequestId: 'p0', toolName: 'cron_add', argumentsJson: '{}' };
    const context = testContext(testAgent(), { ...guestTurn, approval });
    await expect(tools.call('cron_add', '{}', context)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('revoked'),
    });
    expect(ran).toEqual([]);
  });

  it('a reply waits for approval if the context contains another guest’s words', async () => {
    const reply = {
      ...tool('send_agent_message'),
      recipientOf: () => ({ kind: 'sender' }) as const,
    };
    const runReply = async (
      foreignWriter: string,
      agent = testAgent(),
      isPrivate = false,
    ): Promise<readonly string[]> => {
      ran.length = 0;
      const tools = testRegistry([reply], {
        requestApproval: async () => waiting,
        findUserPolicy: async () => ({ rules: {}, isPrivate }),
      });
      await tools.call(
        'send_agent_message',
        '{}',
        testContext(agent, { ...guestTurn, foreignWriter }),
      );
      return [...ran];
    };
    expect(await runReply('bob')).toEqual(['send_agent_message']);
    expect(await runReply('carl')).toEqual([]);
    expect(await runReply('several')).toEqual([]);
    // A subuser's guests share one conversation, unless its policy says otherwise.
    const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
    expect(await runReply('several', subuserAgent)).toEqual(['send_agent_message']);
    expect(await runReply('several', subuserAgent, true)).toEqual([]);
  });

  it('the approval request and the tool’s context say whether guests share one conversation', async () => {
    const asked: ApprovalRequest[] = [];
    const executed: unknown[] = [];
    const callUnderPolicy = async (isPrivate: boolean) => {
      const cron = {
        ...tool('cron_add'),
        execute: async (_: unknown, { isShared }: ToolContext) => executed.push(isShared),
      };
      const tools = testRegistry([cron], {
        requestApproval: async (request) => (asked.push(request), { kind: 'granted' }),
        findUserPolicy: async () => ({ rules: {}, isPrivate }),
      });
      const agent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
      await tools.call(
        'cron_add',
        '{}',
        testContext(agent, { ...guestTurn, foreignWriter: 'carl' }),
      );
      return tools.isShared(agent);
    };
    expect([await callUnderPolicy(false), await callUnderPolicy(true)]).toEqual([true, false]);
    expect(asked.map(({ isShared, foreignWriter }) => [isShared, foreignWriter])).toEqual([
      [true, 'carl'],
      [undefined, 'carl'],
    ]);
    expect(executed).toEqual([true, undefined]);
  });

  it('an agent’s new policy applies from its next call on, even within a turn', async () => {
    const agent = testAgent({ toolPolicy: { rules: { cron_add: { guest: 'run' } } } });
    let stored = agent;
    const tools = registry({ findAgent: async () => stored });
    const call = () => tools.call('cron_add', '{}', testContext(agent, guestTurn));
    await call();
    stored = { ...agent, toolPolicy: { rules: { cron_add: { guest: 'refuse' } } } };
    await expect(call()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(ran).toEqual(['cron_add']);
  });

  it('an approval does not make a refused call run', async () => {
    const approval = { permissionRequestId: 'p0', toolName: 'friend_add', argumentsJson: '{}' };
    const context = testContext(testAgent(), { ...guestTurn, approval });
    await expect(registry().call('friend_add', '{}', context)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('friend:otter7 (trust: guest)'),
    });
  });

  it('a call by a subuser’s agent to a tool for top-level users only is refused without an approval request', async () => {
    const tools = testRegistry([tool('friend_send')], { requestApproval: async () => waiting });
    const context = testContext(testAgent({ userId: 'sub1', ownerUserId: 'user1' }), guestTurn);
    await expect(tools.call('friend_send', '{}', context)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('a subuser’s policy applies to its agents, and no policy is read for agents of top-level users', async () => {
    const usersWithPolicyRead: string[] = [];
    const findUserPolicy: CallGuardDeps['findUserPolicy'] = async (userId) => {
      usersWithPolicyRead.push(userId);
      return { rules: { cron_add: { guest: 'run' } } };
    };
    const tools = registry({ findUserPolicy });
    const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
    await tools.call('cron_add', '{}', testContext(subuserAgent, guestTurn));
    await expect(
      tools.call('cron_add', '{}', testContext(testAgent(), guestTurn)),
    ).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(usersWithPolicyRead).toEqual(['sub1']);
  });
});

describe('every cell of the tool policy', () => {
  const cells = toolNames.flatMap((name) => trustLevels.map((trust) => [name, trust] as const));

  it.each(cells)(
    '%s in a turn with trust %s gets the verdict from the tool table',
    async (name, trust) => {
      ran.length = 0;
      const tools = testRegistry([tool(name)], { requestApproval: async () => waiting });
      const isForeign = trust === 'guest' || trust === 'outside';
      const startedBy = isForeign
        ? friend
        : ({ ...friend, source: 'own_agent', byPerson: true } as const);
      const outcome = await tools.answer(
        name,
        '{}',
        testContext(testAgent(), { trust, startedBy }),
      );
      const isWaiting = outcome.resultJson.includes('waiting_for_approval');
      const verdict = ran.length > 0 ? 'run' : isWaiting ? 'ask' : 'refuse';
      expect(verdict).toBe(toolTable[name].verdicts[trust]);
    },
  );
});

describe('the label of a result', () => {
  const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });

  it('data that a tool reads is private for a top-level user, but for a subuser only if its policy says so', async () => {
    const isPrivate = async (agent = testAgent(), policy?: boolean) => {
      const ofUser = policy === undefined ? undefined : { rules: {}, isPrivate: policy };
      const tools = registry({ findUserPolicy: async () => ofUser });
      return (await tools.answer('memory_read', '{}', testContext(agent))).isPrivate;
    };
    expect(await isPrivate()).toBe(true);
    expect(await isPrivate(subuserAgent)).toBeUndefined();
    expect(await isPrivate(subuserAgent, true)).toBe(true);
    expect(await isPrivate(subuserAgent, false)).toBeUndefined();
  });

  it('an error from a tool that reads private data is labelled private too', async () => {
    const failing = { ...tool('memory_read'), execute: () => Promise.reject(new Error('no')) };
    const outcome = await testRegistry([failing]).answer(
      'memory_read',
      '{}',
      testContext(testAgent()),
    );
    expect(outcome).toMatchObject({ isError: true, isPrivate: true });
  });

  it('the error from a call with invalid arguments is not labelled private', async () => {
    const outcome = await registry().answer('memory_read', '{"x":1}', testContext(testAgent()));
    expect(outcome).not.toHaveProperty('isPrivate');
  });

  it('a tool can report who wrote the text it has read, and that the text is not private', async () => {
    const returned = labelled({ text: 'hi' }, { provenance: 'outside', isPrivate: false });
    const tools = testRegistry([tool('memory_read', returned)]);
    expect(await tools.answer('memory_read', '{}', testContext(testAgent()))).toEqual({
      resultJson: '{"text":"hi"}',
      truncated: false,
      isError: false,
      provenance: 'outside',
      foreignWriter: 'several',
    });
  });
});

it('a registry cannot be created with a tool that has no row in the tool policy', () => {
  expect(() => new ToolRegistry([tool('teleport')], noRegistryDeps)).toThrow('teleport has no row');
});
