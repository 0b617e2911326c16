import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import { ModelServer, openAiEvents } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { anthropicWire } from '../../test-support/model/anthropic-wire';
import { openAiWire } from '../../test-support/model/openai-wire';
import { localProvider } from '../providers/local-provider';
import { testModels } from '../../test-support/model/test-models';
import { startTestRuntime } from '../../test-support/test-runtime';
import { makeTestModel } from './test-model';

const runtime = useFixture(startTestRuntime);
let server: ModelServer;
beforeAll(async () => {
  const answer = {
    steps: openAiEvents({ text: ['OK'], usage: { input: 9, output: 1, cached: 0 } }),
  };
  server = await ModelServer.start(() => answer);
});
afterAll(() => server.close());

const { signal } = new AbortController();
const start = () => testModels(runtime, { DAYCARE_PROVIDERS: `own=${server.url}` });
const newUser = async () => {
  const { userId } = await runtime.newAgent();
  return { kind: 'user', userId, parentUserId: undefined } as const;
};
const operator = { kind: 'operator' } as const;
const usageOf = async (ownerUserId: string) => {
  const days = { fromDay: '2000-01-01', toDay: '2999-01-01' };
  const listing = { ownerUserId, ...days, groupBy: ['model'] as const, after: undefined, limit: 9 };
  return runtime.usage.list(listing);
};

describe('a model test', () => {
  it('makes one tiny call, whose usage is recorded for the user', async () => {
    const requester = await newUser();
    const before = server.requests.length;
    const { testModel } = start();
    const test = await testModel({ requester, model: 'own/m1', signal });
    expect(test).toMatchObject({ problem: '', usage: { inputTokens: 9, outputTokens: 1 } });
    expect(server.requests).toHaveLength(before + 1);
    expect(server.lastRequest.body).toMatchObject({ model: 'm1', max_tokens: 16 });
    await testModel({ requester, model: 'own/m1', signal });
    expect(await usageOf(requester.userId)).toMatchObject([
      { model: 'own/m1', calls: 2, failedCalls: 0, inputTokens: 18, outputTokens: 2 },
    ]);
  });

  it.each([
    [401, 'own rejected the API key: correct DAYCARE_OWN_API_KEY of agent-runtime.'],
    [403, 'own does not allow "m1" for the API key: enable it there'],
    [404, 'own has no model "m1": it may be misspelt or have been retired.'],
    [400, 'own/m1 did not answer: the model provider rejected the request'],
  ])('explains status %d in one sentence', async (status, problem) => {
    server.reply(openAiWire.error(status, 'secret'));
    const test = await start().testModel({ requester: operator, model: 'own/m1', signal });
    expect(test.problem).toContain(problem);
  });

  it.each([
    [{ DAYCARE_ANTHROPIC_API_KEY: 'a', ANTHROPIC_API_KEY: 'b' }, 'DAYCARE_ANTHROPIC_API_KEY'],
    [{ ANTHROPIC_API_KEY: 'b' }, 'ANTHROPIC_API_KEY'],
  ])('names the variable with the rejected key: %j', async (keys, variable) => {
    server.reply(anthropicWire.error(401, 'secret'));
    const { testModel } = testModels(runtime, { ...keys, DAYCARE_ANTHROPIC_URL: server.url });
    const { problem } = await testModel({ requester: operator, model: 'anthropic/m1', signal });
    expect(problem).toContain(`: correct ${variable} of agent-runtime.`);
  });

  it('fails when its usage cannot be recorded, without blaming the model', async () => {
    let writes = 0;
    const addCall = async () => {
      writes += 1;
      throw new AppError('UNAVAILABLE', 'the database is not available');
    };
    const testModel = makeTestModel({
      configured: [],
      providers: { get: () => localProvider, findAdded: () => undefined },
      known: { refresh: async () => undefined },
      meter: runtime.spending.meter,
      usage: { addCall },
      takeToken: () => 0,
      now: () => new Date(),
    });
    const call = { requester: await newUser(), model: 'local/echo', signal };
    await expect(testModel(call)).rejects.toThrow('the database is not available');
    expect(writes).toBe(1);
  });

  it('says that a provider is not configured', async () => {
    const { problem } = await start().testModel({
      requester: operator,
      model: 'nobody/m1',
      signal,
    });
    expect(problem).toBe('The provider "nobody" is not configured.');
  });

  it('counts towards the user’s budgets, and is refused once they are used up', async () => {
    const requester = await newUser();
    const scope = { requester, userId: '', agentId: '', guests: false, period: 'day' } as const;
    await runtime.spending.setBudget({ ...scope, requestId: createId(), maxTokens: 5 });
    const before = server.requests.length;
    const { problem } = await start().testModel({ requester, model: 'own/m1', signal });
    expect(problem).toMatch(/budget/i);
    expect(server.requests).toHaveLength(before);
  });

  it('a model test is refused to a user who has just run ten, but not to other users', async () => {
    const { testModel } = start();
    const call = { requester: await newUser(), model: 'nobody/m1', signal };
    for (let count = 0; count < 10; count += 1) await testModel(call);
    await expect(testModel(call)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await testModel({ ...call, requester: await newUser() });
  });

  it.each(['', 'x', 'x/', 'a b/c'])('refuses the name "%s"', async (model) => {
    await expect(start().testModel({ requester: operator, model, signal })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});
