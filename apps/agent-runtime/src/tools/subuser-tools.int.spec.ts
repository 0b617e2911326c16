import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { AppError } from '@daycare/errors';
import { GoneUserStore } from '@daycare/service-kit';
import type { Agent } from '../domain/agent';
import { gatewayKey } from '../domain/descriptor-kinds';
import { makeSubusers } from '../rpc/identity-client';
import { testContext } from '../test-support/test-agent';
import { asked, identity, newUser, users } from '../test-support/test-identity';
import { startTestPeers, testCredential, type TestPeers } from '../test-support/test-peers';
import { startTestRuntime, type TestRuntime } from '../test-support/test-runtime';
import { makeConfigureSubuser } from '../usecases/configure-subuser';
import { makeDeleteSubuser } from '../usecases/delete-subuser';
import { makeRenameSubuser } from '../usecases/rename-subuser';
import { makeCreateSubuser } from '../usecases/create-subuser';
import { makeDescribeAgents } from '../usecases/describe-agents';
import { makeFindOrMakeAgent, type FindOrMakeAgent } from '../usecases/ensure-agent';
import { makeListSubusers } from '../usecases/list-subusers';
import { makeSubuserConfigureTool } from './subuser-configure';
import { makeSubuserCreateTool } from './subuser-create';
import { makeSubuserDeleteTool } from './subuser-delete';
import { makeSubuserListTool } from './subuser-list';
import { makeSubuserRenameTool } from './subuser-rename';
import { ToolRegistry } from './tool-registry';

let runtime: TestRuntime;
let peers: TestPeers;
let tools: ToolRegistry;
let owner: Agent;
/** Whose home trees were made. */
const homes: string[] = [];
/** Fails once instead of making a gateway, as a crash would. */
let crash: Error | undefined;

const now = (): Date => new Date();
beforeAll(async () => {
  runtime = await startTestRuntime();
  peers = await startTestPeers({ identity });
  const findOrMake = makeFindOrMakeAgent({
    ...runtime,
    goneUsers: new GoneUserStore(runtime.mongo.db),
    directory: {
      async findById(userId) {
        const user = [...users.values()].find(({ id }) => id === userId);
        return user && { userId, parentUserId: user.parentUserId };
      },
    },
    routeMailbox: async () => undefined,
    shardOf: () => 0,
    modelFor: () => ({ provider: 'local', model: 'echo' }),
    newId: createId,
    now,
  });
  const findOrMakeAgent: FindOrMakeAgent = async (...wanted) => {
    const failure = crash;
    crash = undefined;
    if (failure) throw failure;
    return findOrMake(...wanted);
  };
  const subusers = makeSubusers(peers.identity, testCredential);
  const describeAgents = makeDescribeAgents({ ...runtime, sleepAfterMs: 60_000, now });
  const ensureHome = async (userId: string) => void homes.push(userId);
  const deps = { ...runtime, subusers, findOrMakeAgent, describeAgents, ensureHome };
  tools = new ToolRegistry([
    makeSubuserCreateTool({ createSubuser: makeCreateSubuser(deps) }),
    makeSubuserConfigureTool({ configureSubuser: makeConfigureSubuser(deps) }),
    makeSubuserDeleteTool({ deleteSubuser: makeDeleteSubuser(deps) }),
    makeSubuserListTool({ listSubusers: makeListSubusers(deps) }),
    makeSubuserRenameTool({ renameSubuser: makeRenameSubuser(deps) }),
  ]);
});
afterAll(async () => {
  await peers.close();
  await runtime.close();
});
beforeEach(async () => {
  users.clear();
  asked.length = 0;
  owner = await runtime.newAgent();
});

async function call(name: string, args: object, agent = owner, requestId: string = createId()) {
  const context = testContext(agent, { requestId });
  const { resultJson } = await tools.call(name, JSON.stringify(args), context);
  return JSON.parse(resultJson);
}

const wish = { name: ' Cook ', systemPrompt: ' Cook well. ', description: 'Cooks' };
const gatewayOf = (subuserId: string) => runtime.agents.findByKey(subuserId, gatewayKey(subuserId));

describe('subuser_create', () => {
  it('makes a subuser and its gateway', async () => {
    const created = await call('subuser_create', wish);
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

  it('is completed by the repeated call when it was cut off in between', async () => {
    const requestId = createId();
    crash = new Error('crash');
    await expect(call('subuser_create', wish, owner, requestId)).rejects.toThrow('crash');
    const created = await call('subuser_create', wish, owner, requestId);
    expect([...users.values()].map(({ id }) => id)).toEqual([created.subuserId]);
    expect(await call('subuser_create', wish, owner, requestId)).toEqual(created);
    expect((await gatewayOf(created.subuserId))?.id).toBe(created.gatewayAgentId);
  });

  it('makes another one for another call, and for another agent', async () => {
    const requestId = createId();
    const other = await runtime.newAgent(undefined, owner.userId);
    const calls = [call('subuser_create', wish), call('subuser_create', wish, owner, requestId)];
    calls.push(call('subuser_create', wish, other, requestId));
    const ids = (await Promise.all(calls)).map(({ subuserId }) => subuserId);
    expect(new Set(ids).size).toBe(3);
  });

  it.each(['', '  ', 'x'.repeat(32_769), 'bell\u0007'])(
    'makes nothing when the prompt will not do',
    async (systemPrompt) => {
      await expect(call('subuser_create', { ...wish, systemPrompt })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { fields: [{ field: 'systemPrompt' }] },
      });
      expect(asked).toEqual([]);
    },
  );
});

describe('subuser_configure', () => {
  it("changes the gateway's prompt and nothing else", async () => {
    const { subuserId, gatewayAgentId } = await call('subuser_create', wish);
    const before = await gatewayOf(subuserId);
    const answer = await call('subuser_configure', { subuserId, systemPrompt: 'Bake. ' });
    expect(answer).toEqual({ subuserId, gatewayAgentId });
    const descriptor = { kind: 'subuser', id: subuserId, name: 'Cook', systemPrompt: 'Bake.' };
    expect(await gatewayOf(subuserId)).toEqual({ ...before, descriptor });
  });

  it('does not undo a later prompt when it is repeated', async () => {
    const { subuserId } = await call('subuser_create', wish);
    const bake = { subuserId, systemPrompt: 'Bake.' };
    const first = await call('subuser_configure', bake, owner, 'first');
    await call('subuser_configure', { subuserId, systemPrompt: 'Fry.' });
    await expect(call('subuser_configure', bake, owner, 'first')).resolves.toEqual(first);
    expect(await gatewayOf(subuserId)).toMatchObject({ descriptor: { systemPrompt: 'Fry.' } });
  });

  it('makes the gateway that a crash left out', async () => {
    crash = new Error('crash');
    await call('subuser_create', wish).catch(() => undefined);
    const subuserId = [...users.values()][0]!.id;
    const answer = await call('subuser_configure', { subuserId, systemPrompt: 'Bake.' });
    expect(answer.gatewayAgentId).toBe((await gatewayOf(subuserId))?.id);
  });

  it('knows no subusers but those of the caller', async () => {
    const { subuserId } = await call('subuser_create', wish);
    const stranger = await runtime.newAgent();
    const unknown = { code: 'NOT_FOUND', message: 'subuser not found' };
    const [args, bad] = [subuserId, createId()].map((id) => ({
      subuserId: id,
      systemPrompt: 'Be mine.',
    }));
    await expect(call('subuser_configure', args!, stranger)).rejects.toMatchObject(unknown);
    await expect(call('subuser_configure', bad!)).rejects.toMatchObject(unknown);
    const itself = { subuserId: owner.userId, systemPrompt: 'Be mine.' };
    users.set('top', { ...newUser('', 'Ada'), id: owner.userId });
    await expect(call('subuser_configure', itself)).rejects.toMatchObject(unknown);
    expect(await gatewayOf(subuserId)).toMatchObject({
      descriptor: { systemPrompt: 'Cook well.' },
    });
  });

  it('does not bring a dead gateway to life', async () => {
    const { subuserId } = await call('subuser_create', wish);
    await runtime.agents.killOfUser(subuserId, now());
    const args = { subuserId, systemPrompt: 'Rise.' };
    await expect(call('subuser_configure', args)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['', '../x', 'A', 'x'.repeat(65)])('takes no id like %j', async (subuserId) => {
    const args = { subuserId, systemPrompt: 'Bake.' };
    await expect(call('subuser_configure', args)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field: 'subuserId' }] },
    });
  });
});

describe('subuser_rename and subuser_delete', () => {
  it('are done by identity, each once per call', async () => {
    const { subuserId, nametag } = await call('subuser_create', wish);
    asked.length = 0;
    const renamed = await call('subuser_rename', { subuserId, name: 'Chef' });
    expect(renamed).toEqual({
      summary: `Renamed ${nametag} to "Chef"`,
      ...{ subuserId, name: 'Chef', nametag },
    });
    await call('subuser_rename', { subuserId, name: 'Chief' }, owner, 'r');
    await call('subuser_rename', { subuserId, name: 'Chief' }, owner, 'r');
    expect(new Set(asked).size).toBe(2);
    await expect(call('subuser_delete', { subuserId })).resolves.toMatchObject({ subuserId });
    expect(await call('subuser_list', {})).toMatchObject({ count: 0 });
  });

  it.each(['subuser_rename', 'subuser_delete'])(
    '%s knows no subusers but those of the caller',
    async (tool) => {
      const { subuserId } = await call('subuser_create', wish);
      const stranger = await runtime.newAgent();
      const rest = tool === 'subuser_rename' ? { name: 'Mine' } : {};
      const failures = [subuserId, createId()].map((id) =>
        call(tool, { subuserId: id, ...rest }, stranger).catch((error: unknown) => error),
      );
      const [foreign, absent] = await Promise.all(failures);
      expect(foreign).toEqual(absent);
      expect(foreign).toMatchObject({ code: 'NOT_FOUND', message: 'Subuser not found' });
    },
  );

  it('a gateway is called what identity said last, in whatever order it is told', async () => {
    const { subuserId } = await call('subuser_create', wish);
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000);
    await runtime.agents.renameGateway(subuserId, 'Second', at(2));
    await runtime.agents.renameGateway(subuserId, 'First', at(1));
    expect(await gatewayOf(subuserId)).toMatchObject({ descriptor: { name: 'Second' } });
  });
});

describe('subuser_list', () => {
  it('has a line for each, also when the gateway is missing', async () => {
    expect(await call('subuser_list', {})).toEqual({ summary: 'You have no subusers', count: 0 });
    const cook = await call('subuser_create', wish);
    crash = new Error('crash');
    await call('subuser_create', { ...wish, name: 'a "b" c' }).catch(() => undefined);
    const [, half] = [...users.values()];
    expect(await call('subuser_list', {})).toEqual({
      count: 2,
      summary: [
        `${cook.subuserId} name="Cook" nametag=${cook.nametag} gateway=${cook.gatewayAgentId} lifecycle=active`,
        `${half!.id} name="a \\"b\\" c" nametag=${half!.nametag} gateway=none lifecycle=none`,
      ].join('\n'),
    });
    expect(await call('subuser_list', {}, await runtime.newAgent())).toMatchObject({ count: 0 });
  });

  it('counts what it leaves out, and asks once a page', async () => {
    for (let number = 0; number < 1_200; number += 1)
      users.set(`r${number}`, newUser(owner.userId, `Helper ${number}`));
    const { summary, count } = await call('subuser_list', {});
    expect(count).toBe(1_200);
    const lines: string[] = summary.split('\n');
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.at(-1)).toBe(`… and ${1_200 - (lines.length - 1)} more`);
    expect(JSON.stringify({ summary, count }).length).toBeLessThan(8_000);
    expect(asked).toEqual(['listSubusers', 'listSubusers']);
  });
});

describe('an agent of a subuser', () => {
  it('is told of none of these tools and refused all of them', async () => {
    const agent = { ...owner, ownerUserId: createId() };
    expect(tools.list(agent)).toEqual([]);
    const args = { subuser_create: wish, subuser_list: {} };
    const subuserId = createId();
    const all = Object.entries({
      ...args,
      subuser_configure: { subuserId, systemPrompt: 'x' },
      subuser_rename: { subuserId, name: 'x' },
      subuser_delete: { subuserId },
    });
    expect(all).toHaveLength(tools.list(owner).length);
    for (const [name, each] of all)
      await expect(call(name, each, agent)).rejects.toEqual(
        new AppError('PERMISSION_DENIED', 'Agents of a subuser may not use this tool'),
      );
    expect(asked).toEqual([]);
  });
});
