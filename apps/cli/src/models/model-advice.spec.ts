import { expect, it } from '@jest/globals';
import type { Model } from '@daycare/contracts/agent-runtime';
import { adviceLines, adviseOnModel } from './model-advice';

const model = (name: string, problem = ''): Model => ({ name, problem }) as Model;
const current = (name: string, problem = '') => {
  const only = model(name, problem);
  return { model: only, choices: [only] };
};
const listed = (...providers: string[]) => ({
  providers: ['local', ...providers],
  models: [model('local/echo'), model('anthropic/claude-1')],
});

it('a real model needs no advice', () => {
  expect(adviceLines(adviseOnModel(current('openai/gpt-1'), listed('openai')))).toEqual([
    'Model: openai/gpt-1',
  ]);
});

it('a model that has a problem is shown with that problem', () => {
  expect(adviceLines(adviseOnModel(current('openai/gpt-1', 'it is down'), listed()))).toEqual([
    'Model: openai/gpt-1 (it is down)',
  ]);
});

it('a fallback is shown with the model that it replaces and the reason', () => {
  const [first, second] = [model('openai/gpt-1', 'it is down'), model('groq/llama')];
  const inUse = { model: second, choices: [first, second] };
  expect(adviceLines(adviseOnModel(inUse, listed()))).toEqual([
    'Model: groq/llama (instead of openai/gpt-1: it is down)',
  ]);
});

it.each([
  [[], 'npx daycare model add anthropic/claude-sonnet-5-5 --use'],
  [['anthropic'], 'npx daycare model set anthropic/claude-1 --instance'],
  [['groq'], 'npx daycare model set groq/<model> --instance'],
])(
  'with the providers %j, the local model is shown with the command that switches to a real one',
  (names, command) => {
    const lines = adviceLines(
      adviseOnModel(current('local/echo'), listed(...names), ' --instance'),
    );
    expect(lines).toEqual([
      'Model: local/echo (a scripted model that only repeats what you say)',
      `Use a real one: ${command}`,
    ]);
  },
);
