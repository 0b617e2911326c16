import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { AppError } from '@daycare/api';
import { startTestRuntime } from '../../test-support/test-runtime';
import type { Agent } from '../domain/agent';
import type { ToolPolicy } from '../domain/tool-rules';
import { makeConfigureAgent } from './configure-agent';
import { makeCreateAgent, type CreateCall } from './create-agent';

const runtime = useFixture(() => startTestRuntime());

const create = (userId: string, call: Partial<CreateCall> = {}): Promise<Agent> =>
  makeCreateAgent({
    agents: runtime.agents,
    findOrCreateAgent: async (owner, descriptor) => ({
      agent: await runtime.newAgent(descriptor, owner),
      created: true,
    }),
  })({
    userId,
    requestId: createId(),
    kind: 'permanent',
    name: ' Librarian ',
    description: '',
    systemPrompt: 'Keep the books',
    parentAgentId: '',
    ...call,
  });
const checkedForSubuser: boolean[] = [];
const configure = (
  agent: Agent,
  settings: object,
  requestId = createId(),
  callerId = agent.userId,
) =>
  makeConfigureAgent({
    agents: runtime.agents,
    checkToolPolicy: ({ rules }: ToolPolicy, isSubuser) => {
      checkedForSubuser.push(isSubuser);
      if (rules['bad']) throw new AppError('INVALID_ARGUMENT', 'bad is not a tool');
    },
    now: () => new Date(),
  })({ userId: callerId, agentId: agent.id, requestId, ...settings });

describe('CreateAgent', () => {
  it('creates a permanent agent, and returns the same agent when the request is retried', async () => {
    const [userId, requestId] = [createId(), createId()];
    const agent = await create(userId, { requestId });
    expect(agent).toMatchObject({
      kind: 'permanent',
      foreground: false,
      descriptor: { name: 'Librarian', systemPrompt: 'Keep the books' },
    });
    expect((await create(userId, { requestId })).id).toBe(agent.id);
    expect((await create(userId)).id).not.toBe(agent.id);
  });

  it('creates an app under one of the user’s living agents, but not under a dead agent or another user’s', async () => {
    const parent = await runtime.newAgent();
    const app = { kind: 'app', parentAgentId: parent.id } as const;
    expect((await create(parent.userId, app)).descriptor).toMatchObject(app);
    await expect(create(createId(), app)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await runtime.agents.kill(parent, new Date());
    await expect(create(parent.userId, app)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['kind', { kind: undefined }],
    ['name', { name: '' }],
    ['system_prompt', { systemPrompt: 'x'.repeat(32_769) }],
    ['description', { description: 'x'.repeat(1_001) }],
    ['parent_agent_id', { kind: 'app' as const, parentAgentId: '' }],
    ['request_id', { requestId: '' }],
  ])('refuses an invalid %s and names the field', async (field, call) => {
    await expect(create(createId(), call)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
  });

  it('refuses to revive an ended agent when the request that created it is retried', async () => {
    const [userId, requestId] = [createId(), createId()];
    await runtime.endAgent(await create(userId, { requestId }));
    await expect(create(userId, { requestId })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
  });
});

describe('ConfigureAgent', () => {
  it('changes only the given settings, and a retry does not undo a later change', async () => {
    const agent = await create(createId());
    const first = await configure(agent, { name: 'Archivist' }, 'r1');
    expect(first.descriptor).toMatchObject({ name: 'Archivist', systemPrompt: 'Keep the books' });
    await configure(agent, { name: 'Curator', systemPrompt: 'Keep the art' }, 'r2');
    const again = await configure(agent, { name: 'Archivist' }, 'r1');
    expect(again.descriptor).toMatchObject({ name: 'Curator', systemPrompt: 'Keep the art' });
  });

  it('sets a valid tool policy even on a foreground agent, and refuses an invalid one', async () => {
    const talker = await runtime.newAgent();
    const rules = { cron_add: { guest: 'refuse' } } as const;
    expect(await configure(talker, { toolPolicy: { rules } })).toMatchObject({
      toolPolicy: { rules },
    });
    expect(checkedForSubuser.at(-1)).toBe(false);
    const bad = { toolPolicy: { rules: { bad: { guest: 'run' } } } };
    await expect(configure(talker, bad)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('refuses an empty change, too long a name, renaming a foreground agent, and changing a dead agent or another user’s', async () => {
    const talker = await runtime.newAgent();
    const agent = await create(createId());
    const refusals = [
      [configure(talker, { name: 'Me' }), 'FAILED_PRECONDITION'],
      [configure(agent, {}), 'INVALID_ARGUMENT'],
      [configure(agent, { name: 'x'.repeat(101) }), 'INVALID_ARGUMENT'],
      [configure(agent, { name: 'Mine' }, 'r', createId()), 'NOT_FOUND'],
    ] as const;
    for (const [refused, code] of refusals) await expect(refused).rejects.toMatchObject({ code });
    await runtime.endAgent(agent);
    await expect(configure(agent, { name: 'Late' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
  });
});
