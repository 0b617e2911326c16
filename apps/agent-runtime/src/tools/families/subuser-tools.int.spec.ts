import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { gatewayKey } from '../../agents/domain/descriptor/descriptor-kinds';
import { startSubuserStage } from '../../test-support/subusers/subuser-stage';
import { testContext } from '../../test-support/test-agent';
import { identityCalls, newUser, users } from '../../test-support/test-identity';

const stage = useFixture(startSubuserStage);
const { runtime, tools, homes } = stage;
let owner: Agent;

beforeEach(async () => {
  users.clear();
  identityCalls.length = 0;
  owner = await runtime.newAgent();
});

async function call(name: string, args: object, agent = owner, requestId: string = createId()) {
  const context = testContext(agent, { requestId });
  const { resultJson } = await tools.call(name, JSON.stringify(args), context);
  return JSON.parse(resultJson);
}

const cook = { name: ' Cook ', systemPrompt: ' Cook well. ', description: 'Cooks' };
const gatewayOf = (subuserId: string) => runtime.agents.findByKey(subuserId, gatewayKey(subuserId));

describe('subuser_create', () => {
  it('subuser_create creates a subuser, its home folder and its gateway agent', async () => {
    const created = await call('subuser_create', cook);
    const [user] = [...users.values()];
    expect(user).toMatchObject({ parentUserId: owner.userId, description: 'Cooks' });
    expect(homes.at(-1)).toBe(user!.id);
    const gateway = await gatewayOf(user!.id);
    expect(created).toEqual({
      subuserId: user!.id,
      gatewayAgentId: gateway!.id,
      name: 'Cook',
      nametag: user!.nametag,
    });
    expect(gateway).toMatchObject({
      userId: user!.id,
      ownerUserId: owner.userId,
      foreground: false,
      descriptor: { kind: 'subuser', id: user!.id, name: 'Cook', systemPrompt: 'Cook well.' },
    });
  });

  it('a retried subuser_create completes a creation that crashed halfway', async () => {
    const requestId = createId();
    stage.crashOnce();
    await expect(call('subuser_create', cook, owner, requestId)).rejects.toThrow('crash');
    const created = await call('subuser_create', cook, owner, requestId);
    expect([...users.values()].map(({ id }) => id)).toEqual([created.subuserId]);
    expect(await call('subuser_create', cook, owner, requestId)).toEqual(created);
    expect((await gatewayOf(created.subuserId))?.id).toBe(created.gatewayAgentId);
  });

  it('subuser_create creates separate subusers for different calls and for different agents', async () => {
    const requestId = createId();
    const other = await runtime.newAgent(undefined, owner.userId);
    const calls = [call('subuser_create', cook), call('subuser_create', cook, owner, requestId)];
    calls.push(call('subuser_create', cook, other, requestId));
    const ids = (await Promise.all(calls)).map(({ subuserId }) => subuserId);
    expect(new Set(ids).size).toBe(3);
  });

  it.each(['', '  ', 'x'.repeat(32_769), 'bell\u0007'])(
    'subuser_create creates nothing when the system prompt is invalid',
    async (systemPrompt) => {
      await expect(call('subuser_create', { ...cook, systemPrompt })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { fields: [{ field: 'systemPrompt' }] },
      });
      expect(identityCalls).toEqual([]);
    },
  );

  it('subuser_create creates nothing when the tool policy is invalid', async () => {
    const toolPolicy = { rules: { friend_send: { guest: 'run' } } };
    const error = { details: { fields: [{ field: 'toolPolicy' }] } };
    await expect(call('subuser_create', { ...cook, toolPolicy })).rejects.toMatchObject(error);
    expect(identityCalls).toEqual([]);
  });
});

describe('subuser_configure', () => {
  it('subuser_configure changes the gateway agent’s system prompt and nothing else', async () => {
    const { subuserId, gatewayAgentId } = await call('subuser_create', cook);
    const before = await gatewayOf(subuserId);
    const result = await call('subuser_configure', { subuserId, systemPrompt: 'Bake. ' });
    expect(result).toEqual({ subuserId, gatewayAgentId });
    const descriptor = { kind: 'subuser', id: subuserId, name: 'Cook', systemPrompt: 'Bake.' };
    expect(await gatewayOf(subuserId)).toEqual({ ...before, descriptor });
  });

  it('a retried subuser_configure does not overwrite a system prompt that was set later', async () => {
    const { subuserId } = await call('subuser_create', cook);
    const bake = { subuserId, systemPrompt: 'Bake.' };
    const first = await call('subuser_configure', bake, owner, 'first');
    await call('subuser_configure', { subuserId, systemPrompt: 'Fry.' });
    await expect(call('subuser_configure', bake, owner, 'first')).resolves.toEqual(first);
    expect(await gatewayOf(subuserId)).toMatchObject({ descriptor: { systemPrompt: 'Fry.' } });
  });

  it('subuser_create and subuser_configure set the tool policy, and a retried subuser_create does not reset it', async () => {
    const requestId = createId();
    const policies = [{ rules: { exec: { guest: 'refuse' } }, isPrivate: true }, { rules: {} }];
    const strict = { ...cook, toolPolicy: policies[0] };
    const { subuserId } = await call('subuser_create', strict, owner, requestId);
    expect((await gatewayOf(subuserId))?.toolPolicy).toEqual(policies[0]);
    await call('subuser_configure', { subuserId, toolPolicy: {} });
    await call('subuser_create', strict, owner, requestId);
    expect((await gatewayOf(subuserId))?.toolPolicy).toEqual(policies[1]);
  });

  it('subuser_configure creates a gateway agent that is missing after a crash', async () => {
    stage.crashOnce();
    await call('subuser_create', cook).catch(() => undefined);
    const subuserId = [...users.values()][0]!.id;
    const result = await call('subuser_configure', { subuserId, systemPrompt: 'Bake.' });
    expect(result.gatewayAgentId).toBe((await gatewayOf(subuserId))?.id);
  });

  it('subuser_configure finds only the caller’s own subusers', async () => {
    const { subuserId } = await call('subuser_create', cook);
    const stranger = await runtime.newAgent();
    const unknown = { code: 'NOT_FOUND', message: 'Subuser not found' };
    const configure = (id: string, caller: Agent) =>
      call('subuser_configure', { subuserId: id, systemPrompt: 'Be mine.' }, caller);
    await expect(configure(subuserId, stranger)).rejects.toMatchObject(unknown);
    await expect(configure(createId(), owner)).rejects.toMatchObject(unknown);
    users.set('top', { ...newUser('', 'Ada'), id: owner.userId });
    await expect(configure(owner.userId, owner)).rejects.toMatchObject(unknown);
    expect(await gatewayOf(subuserId)).toMatchObject({
      descriptor: { systemPrompt: 'Cook well.' },
    });
  });

  it('subuser_configure does not revive a dead gateway agent', async () => {
    const { subuserId } = await call('subuser_create', cook);
    await runtime.agents.killByUser(subuserId, new Date());
    const args = { subuserId, systemPrompt: 'Rise.' };
    await expect(call('subuser_configure', args)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['', '../x', 'A', 'x'.repeat(65)])(
    'subuser_configure rejects the id %j',
    async (subuserId) => {
      const args = { subuserId, systemPrompt: 'Bake.' };
      await expect(call('subuser_configure', args)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { fields: [{ field: 'subuserId' }] },
      });
    },
  );
});

describe('subuser_rename and subuser_delete', () => {
  it('a retried subuser_rename reaches identity with the same request id, and subuser_delete deletes the subuser', async () => {
    const { subuserId, nametag } = await call('subuser_create', cook);
    identityCalls.length = 0;
    const renamed = await call('subuser_rename', { subuserId, name: 'Chef' });
    expect(renamed).toEqual({
      summary: `Renamed ${nametag} to "Chef"`,
      subuserId,
      name: 'Chef',
      nametag,
    });
    await call('subuser_rename', { subuserId, name: 'Chief' }, owner, 'r');
    await call('subuser_rename', { subuserId, name: 'Chief' }, owner, 'r');
    expect(new Set(identityCalls).size).toBe(2);
    await expect(call('subuser_delete', { subuserId })).resolves.toMatchObject({ subuserId });
    expect(await call('subuser_list', {})).toMatchObject({ count: 0 });
  });

  it.each(['subuser_rename', 'subuser_delete'])(
    '%s finds only the caller’s own subusers',
    async (tool) => {
      const { subuserId } = await call('subuser_create', cook);
      const stranger = await runtime.newAgent();
      const otherArgs = tool === 'subuser_rename' ? { name: 'Mine' } : {};
      const failures = [subuserId, createId()].map((id) =>
        call(tool, { subuserId: id, ...otherArgs }, stranger).catch((error: unknown) => error),
      );
      const [foreign, absent] = await Promise.all(failures);
      expect(foreign).toEqual(absent);
      expect(foreign).toMatchObject({ code: 'NOT_FOUND', message: 'Subuser not found' });
    },
  );

  it('a gateway agent keeps the latest name when renames arrive out of order', async () => {
    const { subuserId } = await call('subuser_create', cook);
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000);
    await runtime.agents.renameGateway(subuserId, 'Second', at(2));
    await runtime.agents.renameGateway(subuserId, 'First', at(1));
    expect(await gatewayOf(subuserId)).toMatchObject({ descriptor: { name: 'Second' } });
  });
});

describe('subuser_list', () => {
  it('subuser_list shows a line for each subuser, even if its gateway agent is missing', async () => {
    expect(await call('subuser_list', {})).toEqual({ summary: 'You have no subusers', count: 0 });
    const created = await call('subuser_create', cook);
    stage.crashOnce();
    await call('subuser_create', { ...cook, name: 'a "b" c' }).catch(() => undefined);
    const [, incomplete] = [...users.values()];
    expect(await call('subuser_list', {})).toEqual({
      count: 2,
      summary: [
        `${created.subuserId} name="Cook" nametag=${created.nametag} gateway=${created.gatewayAgentId} lifecycle=active`,
        `${incomplete!.id} name="a \\"b\\" c" nametag=${incomplete!.nametag} gateway=none lifecycle=none`,
      ].join('\n'),
    });
    expect(await call('subuser_list', {}, await runtime.newAgent())).toMatchObject({ count: 0 });
  });

  it('subuser_list counts the subusers that it omits and calls identity once per page', async () => {
    for (let index = 0; index < 1_200; index += 1)
      users.set(`r${index}`, newUser(owner.userId, `Helper ${index}`));
    const { summary, count } = await call('subuser_list', {});
    expect(count).toBe(1_200);
    const lines: string[] = summary.split('\n');
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.at(-1)).toBe(`… and ${1_200 - (lines.length - 1)} more`);
    expect(JSON.stringify({ summary, count }).length).toBeLessThan(8_000);
    expect(identityCalls).toEqual(['listSubusers', 'listSubusers']);
  });
});

describe('an agent of a subuser', () => {
  it('a subuser’s agents are offered no subuser tools, and their calls to subuser tools are refused', async () => {
    const agent = { ...owner, ownerUserId: createId() };
    expect(tools.list(agent)).toEqual([]);
    const subuserId = createId();
    const calls = Object.entries({
      subuser_create: cook,
      subuser_list: {},
      subuser_configure: { subuserId, systemPrompt: 'x' },
      subuser_rename: { subuserId, name: 'x' },
      subuser_delete: { subuserId },
    });
    expect(calls).toHaveLength(tools.list(owner).length);
    for (const [name, toolArgs] of calls)
      await expect(call(name, toolArgs, agent)).rejects.toEqual(
        new AppError('PERMISSION_DENIED', 'Agents of a subuser may not use this tool'),
      );
    expect(identityCalls).toEqual([]);
  });
});
