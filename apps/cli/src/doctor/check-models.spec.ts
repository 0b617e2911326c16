import { expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { AgentRole, type GetModelResponse, type Model } from '@daycare/contracts/agent-runtime';
import { CallFailure } from '../failure/call-failure';
import { checkModels } from './check-models';

type Choices = Partial<Record<AgentRole, readonly string[]>>;

/** Returns what doctor shows for these choices; `problems` says why some models do not respond. */
async function findings(choices: Choices, problems: Readonly<Record<string, string | Error>> = {}) {
  const checks = await checkModels({
    getModel: async ({ role }) => {
      const names = choices[role] ?? choices[AgentRole.USER] ?? [];
      const models = names.map((name) => ({ name, problem: '' }) as Model);
      return { current: { model: models[0], choices: models } } as unknown as GetModelResponse;
    },
    listModels: async () => ({ models: [], providers: ['local', 'own'], currency: 'USD' }),
    testModel: async ({ model }) => {
      const problem = problems[model] ?? '';
      if (problem instanceof Error) throw problem;
      return { problem, latencyMs: 7, usage: undefined };
    },
  });
  return checks.map(({ status, name, found }) => `${status} ${name}: ${found}`);
}

it('every model and fallback except the scripted one is tested once, even if several roles use it', async () => {
  const choices = {
    [AgentRole.USER]: ['own/a', 'own/b'],
    [AgentRole.CRON]: ['own/b', 'own/c'],
    [AgentRole.HEARTBEAT]: ['own/d', 'local/echo'],
  };
  expect(await findings(choices)).toEqual([
    'ok model: own/a answered in 7 ms',
    'ok fallback model: own/b answered in 7 ms',
    'ok fallback cron model: own/c answered in 7 ms',
    'ok heartbeat model: own/d answered in 7 ms',
  ]);
});

it('a broken model is a failure only if it is the first choice of the agents that talk to the person', async () => {
  const choices = { [AgentRole.USER]: ['own/a', 'own/b'], [AgentRole.CRON]: ['own/c'] };
  const problems = { 'own/a': 'a is retired', 'own/b': 'b is down', 'own/c': 'c is down' };
  expect(await findings(choices, problems)).toEqual([
    'fail model: a is retired',
    'warn fallback model: b is down',
    'warn cron model: c is down',
  ]);
});

it('real models for other roles are tested even if the main model is the scripted one', async () => {
  const choices = { [AgentRole.USER]: ['local/echo'], [AgentRole.CRON]: ['own/c'] };
  expect(await findings(choices)).toEqual([
    expect.stringMatching(/^warn model: local\/echo: .*repeats/),
    'ok cron model: own/c answered in 7 ms',
  ]);
});

it('a model that cannot be tested does not hide the results for other models', async () => {
  const error = new AppError('RATE_LIMITED', 'Too many model tests');
  const limited = new CallFailure('agent-runtime', '127.0.0.1:1', 'main', error);
  expect(await findings({ [AgentRole.USER]: ['own/a', 'own/b'] }, { 'own/a': limited })).toEqual([
    'warn model: Too many model tests',
    'ok fallback model: own/b answered in 7 ms',
  ]);
});

it('tests at most ten models, and names those left untested', async () => {
  const names = (from: number) => Array.from({ length: 5 }, (_, at) => `own/m${from + at}`);
  const choices = {
    [AgentRole.USER]: names(0),
    [AgentRole.SUBAGENT]: names(5),
    [AgentRole.CRON]: names(10),
  };
  const found = await findings(choices);
  expect(found.filter((line) => line.startsWith('ok'))).toHaveLength(10);
  expect(found.slice(10)).toEqual([
    'warn cron model: own/m10 was not tested',
    ...[11, 12, 13, 14].map((at) => `warn fallback cron model: own/m${at} was not tested`),
  ]);
});
