import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually, ModelServer, openAiEvents, type SeenRequest } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import type { HistoryRecord } from '../../agents/domain/context/history-record';
import { localProvider } from '../../models/providers/local-provider';
import { openAiWire } from '../../test-support/model/openai-wire';
import { testModels } from '../../test-support/model/test-models';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';

const runtime = useFixture(startTestRuntime);
let main: ModelServer;
let backup: ModelServer;
beforeAll(async () => {
  const answer = (who: string) => () => ({ steps: openAiEvents({ text: [`I am ${who}.`] }) });
  main = await ModelServer.start((request) => trouble?.(request) ?? answer('main')());
  backup = await ModelServer.start(() => backupTrouble ?? answer('backup')());
});
afterAll(() => Promise.all([main.close(), backup.close()]));

let trouble: ((request: SeenRequest) => ReturnType<typeof openAiWire.error>) | undefined;
let backupTrouble: ReturnType<typeof openAiWire.error> | undefined;
const fail = (status: number) => void (trouble = () => openAiWire.error(status, 'no'));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  trouble = undefined;
  backupTrouble = undefined;
  for (const stop of stops.splice(0)) await stop();
});

const env = (more: Record<string, string> = {}) => ({
  DAYCARE_PROVIDERS: `main=${main.url},backup=${backup.url},dead=http://127.0.0.1:9/v1`,
  DAYCARE_MODEL: 'main/m1,backup/b1',
  ...more,
});
const operator = { kind: 'operator' } as const;
const instanceLevel = { requester: operator, userId: '', agentId: '', role: undefined };

/** Starts a replica with its own configuration of models. */
async function serve(variables: Record<string, string> = env()) {
  const models = testModels(runtime, variables);
  const stopServing = await serveNext(runtime, localProvider, { models: models.chooser });
  stops.push(stopServing);
  return { models, stopServing };
}

const inShort = (record: HistoryRecord): string => {
  if (record.kind === 'assistant_message')
    return `${record.provider}/${record.model}: ${record.text}`;
  return 'text' in record ? `${record.kind}: ${record.text}` : record.kind;
};

/** Sends a message, and returns what the agent recorded after it. */
async function answersTo(agent: Agent, text = 'hello'): Promise<string[]> {
  const before = (await runtime.history.findHead(agent.id))?.state.lastSequence ?? 0;
  await runtime.say(agent, text);
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0, {
    timeoutMs: 20_000,
  });
  const after = await runtime.history.listRecords(agent, { after: before, limit: 100 });
  return after.map(inShort).filter((line) => !line.startsWith('user_message'));
}

const usageOf = async ({ userId }: Agent) => {
  const [fromDay, toDay] = ['2000-01-01', '2999-01-01'];
  const filter = { ownerUserId: userId, fromDay, toDay, groupBy: ['model'] as const };
  const rows = await runtime.usage.list({ ...filter, after: undefined, limit: 10 });
  return rows.map(({ model, calls, failedCalls }) => `${model} ${calls} ${failedCalls}`);
};

describe('a model that cannot be used', () => {
  it.each([
    [404, 'the model provider does not have this model'],
    [401, 'the model provider rejected the API key'],
    [400, 'the model provider rejected the request'],
  ])(
    'after status %d a model is replaced by the next one in the list, and a single note says so',
    async (status, reason) => {
      await serve();
      const agent = await runtime.newAgent();
      fail(status);
      const note = `note: main/m1 cannot be used (${reason}); backup/b1 answers instead.`;
      expect(await answersTo(agent)).toEqual([note, 'backup/b1: I am backup.']);
      expect(await answersTo(agent)).toEqual(['backup/b1: I am backup.']);
      const usage = await usageOf(agent);
      expect(usage[0]).toBe('backup/b1 2 0');
      expect(usage[1]).toMatch(/^main\/m1 [12] [12]$/);
    },
    60_000,
  );

  it('all agents of a replica skip an unusable model for a while, and each records a single note', async () => {
    await serve();
    fail(401);
    await answersTo(await runtime.newAgent());
    const asked = main.requests.length;
    const otherAgent = await runtime.newAgent();
    expect(await answersTo(otherAgent)).toHaveLength(2);
    expect(await answersTo(otherAgent)).toHaveLength(1);
    expect(main.requests).toHaveLength(asked);
  }, 60_000);

  it('the model in use is shown, even when the model that it replaces has the same id', async () => {
    const { models } = await serve(env({ DAYCARE_MODEL: 'main/m1,backup/m1' }));
    fail(401);
    await answersTo(await runtime.newAgent());
    const { current, choices } = await models.getModel(instanceLevel);
    expect([current.model.provider, current.problem]).toEqual(['backup', '']);
    const reason = 'the model provider rejected the API key';
    expect(choices.map(({ problem }) => problem)).toEqual([reason, '']);
  }, 60_000);

  it('a model is replaced when its provider is down or no longer configured', async () => {
    const dead = await serve(env({ DAYCARE_MODEL: 'dead/d1,backup/b1' }));
    const agent = await runtime.newAgent();
    const [note, answer] = await answersTo(agent);
    expect(note).toContain(
      'dead/d1 cannot be used (the model provider is not available right now)',
    );
    expect(answer).toBe('backup/b1: I am backup.');
    await dead.stopServing();
    await serve(env({ DAYCARE_MODEL: 'gone/g1,main/m1' }));
    const [nextNote, nextAnswer] = await answersTo(agent);
    expect(nextNote).toContain('gone/g1 cannot be used (its provider is not configured)');
    expect(nextAnswer).toBe('main/m1: I am main.');
  }, 60_000);

  it('a model that works again is used, without a note, by a replica that has not seen it fail', async () => {
    const { stopServing } = await serve();
    const agent = await runtime.newAgent();
    fail(401);
    await answersTo(agent);
    await stopServing();
    trouble = undefined;
    // Another replica, which has not seen the failure.
    await serve();
    expect(await answersTo(agent)).toEqual(['main/m1: I am main.']);
    const head = await runtime.history.findHead(agent.id);
    expect(head?.state).not.toHaveProperty('fallbackModel');
  }, 60_000);
});

describe('a list without a usable model', () => {
  const limited = (seconds: number) =>
    openAiWire.error(429, 'slow down', { 'retry-after': `${seconds}` });

  it.each([
    ['a fallback with a wrong key', limited(1_800), openAiWire.error(401, 'no'), 'main'],
    ['a first model with a wrong key', openAiWire.error(401, 'no'), limited(1_800), 'backup'],
    ['a fallback with a longer wait', limited(1_800), limited(3_600), 'main'],
  ])(
    'work waits for the model that will be available first, despite %s',
    async (_case, first, second, provider) => {
      await serve();
      const agent = await runtime.newAgent();
      [trouble, backupTrouble] = [() => first, second];
      await runtime.say(agent, 'hello');
      const work = await eventually(async () => {
        const state = (await runtime.history.findHead(agent.id))?.state;
        return state?.settled ? 'given up' : state?.current?.waiting && state.current;
      });
      expect(work).toMatchObject({ failures: 0, waiting: { for: provider, count: 1 } });
      expect(work).not.toHaveProperty('failedModels');
      const waitMs = work === 'given up' ? 0 : work.notBefore!.getTime() - Date.now();
      expect(waitMs).toBeGreaterThan(1_700_000);
      expect(waitMs).toBeLessThanOrEqual(1_800_000);
    },
    60_000,
  );
});

describe('work that is waiting for its models', () => {
  it('work continues with other models as soon as they are chosen and something wakes the agent', async () => {
    const { models, stopServing } = await serve();
    const agent = await runtime.newAgent();
    const limited = openAiWire.error(429, 'slow down', { 'retry-after': '1800' });
    [trouble, backupTrouble] = [() => limited, limited];
    await runtime.say(agent, 'one');
    await eventually(async () => {
      const state = (await runtime.history.findHead(agent.id))?.state;
      return state?.current?.waiting?.models === 'main/m1, backup/b1';
    });
    const asked = main.requests.length;
    await stopServing();
    const requester = { kind: 'user', userId: agent.userId, parentUserId: undefined } as const;
    const agentLevel = { requester, userId: '', agentId: agent.id, role: undefined };
    await models.setModel({ ...agentLevel, requestId: createId(), models: ['local/echo'] });
    await serve();
    expect(await answersTo(agent, 'two')).toContain('local/echo: You said: one');
    expect(main.requests).toHaveLength(asked);
  }, 60_000);
});

describe('choosing a model', () => {
  const set = (models: string[]) => ({ ...instanceLevel, requestId: createId(), models });

  it('a newly chosen model is used from the agents’ next turn on, on every replica', async () => {
    const { models } = await serve(env({ DAYCARE_MODEL: 'local/echo' }));
    const otherReplica = testModels(runtime, env({ DAYCARE_MODEL: 'local/echo' }));
    const agent = await runtime.newAgent();
    expect(await answersTo(agent, 'one')).toEqual(['local/echo: You said: one']);
    await otherReplica.setModel(set(['main/m1']));
    expect(await answersTo(agent)).toEqual(['main/m1: I am main.']);
    await otherReplica.setModel(set(['local/echo']));
    expect(await answersTo(agent, 'two')).toEqual(['local/echo: You said: two']);
    await models.setModel(set([]));
    const { level, current } = await models.getModel(instanceLevel);
    expect([level, current.model.id]).toEqual(['instance', 'echo']);
  }, 60_000);

  it('an operator who asks for the model of an agent must name its user', async () => {
    const { models } = await serve();
    const agent = await runtime.newAgent();
    const call = { ...instanceLevel, agentId: agent.id };
    await expect(models.getModel(call)).rejects.toThrow('user id is required with an agent id');
    const { current } = await models.getModel({ ...call, userId: agent.userId });
    expect(current.model.id).toBe('m1');
  });

  it('an agent uses the model chosen at the most specific level', async () => {
    const { models } = await serve(
      env({ DAYCARE_MODEL: 'local/echo', DAYCARE_MODEL_USER: 'main/r' }),
    );
    const [owner, subuser] = [createId(), createId()];
    await runtime.newAgent(undefined, owner);
    const agent = await runtime.newAgent(undefined, subuser, owner);
    const requester = { kind: 'user', userId: owner, parentUserId: undefined } as const;
    const ask = async () => {
      const choice = await models.getModel({
        ...instanceLevel,
        requester,
        userId: subuser,
        agentId: agent.id,
      });
      return `${choice.level} ${choice.current.model.id}`;
    };
    const choose = (userId: string, agentId: string, name: string[]) =>
      models.setModel({ ...set(name), requester, userId, agentId });
    expect(await ask()).toBe('role r');
    await models.setModel({ ...set(['main/o', 'backup/b1']), role: 'user' });
    expect(await ask()).toBe('role o');
    await models.setModel({ ...set(['main/c']), role: 'cron' });
    expect(await ask()).toBe('role o');
    await choose('', '', ['main/u']);
    expect(await ask()).toBe('user u');
    await choose(subuser, '', ['main/s', 'backup/b1']);
    expect(await ask()).toBe('subuser s');
    await choose(subuser, agent.id, ['backup/a']);
    expect(await ask()).toBe('agent a');
    expect(await answersTo(agent)).toEqual(['backup/a: I am backup.']);
    await choose(subuser, agent.id, []);
    await choose(subuser, '', []);
    expect(await ask()).toBe('user u');
    await choose('', '', []);
    for (const role of ['user', 'cron'] as const) await models.setModel({ ...set([]), role });
    expect(await ask()).toBe('role r');
  }, 60_000);

  it('retrying an earlier request does not undo a later choice of model', async () => {
    const { models } = await serve();
    const [first, second] = [set(['main/one']), set(['main/two'])];
    for (const request of [first, second, first]) await models.setModel(request);
    expect((await models.getModel(instanceLevel)).current.model.id).toBe('two');
    await models.setModel(set([]));
  });

  it.each([
    [{ models: ['nowhere/x'] }, 'FAILED_PRECONDITION', 'the configured providers are local, main'],
    [{ models: ['x'] }, 'INVALID_ARGUMENT', 'models[0] must be provider/model'],
    [
      { models: Array(6).fill('main/x') },
      'INVALID_ARGUMENT',
      'models must have at most 5 elements',
    ],
    [{ models: ['main/x', 'main/x'] }, 'INVALID_ARGUMENT', 'models[1] is listed twice'],
    [{ agentId: 'a1b2' }, 'INVALID_ARGUMENT', 'must be empty for operators'],
    [
      { requester: { kind: 'user', userId: 'u1', parentUserId: undefined }, role: 'cron' } as const,
      'INVALID_ARGUMENT',
      'role is for operators only',
    ],
  ])('choosing a model with the fields %j is refused', async (fields, code, message) => {
    const models = testModels(runtime, env());
    await expect(models.setModel({ ...set(['main/x']), ...fields })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});
