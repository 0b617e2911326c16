import { step, type Step } from './step';

/** Commands for models. */
export const modelSteps: Step[] = [
  step('model list', { json: [{ name: 'local/echo', tools: true }] }),
  step('model show', { text: /model: +local\/echo/ }),
  step('model set', { code: 2, text: /Name at least one model/ }),
  step('model set nowhere/x', { code: 5, text: /configured providers are local/ }),
  step('model set local/echo', { json: { level: 'MODEL_LEVEL_USER' } }),
  step('model show', { json: { model: { name: 'local/echo' }, level: 'MODEL_LEVEL_USER' } }),
  step('model set --clear', { json: { level: 'MODEL_LEVEL_INSTANCE' } }),
  step('model test', { json: { model: 'local/echo', problem: '' } }),
  step('model test nowhere/x', { code: 1, text: /"nowhere" is not configured/ }),
  step('model add anthropic', { code: 2, text: /api key is required for anthropic/ }),
  step('model add groq --use', { code: 2, text: /name a model/ }),
  step('model add groq/x http://127.0.0.1:9/v1 --price cheap', { code: 2, text: /per million/ }),
  step('model add groq http://127.0.0.1:9/v1 --key-file -', {
    stdin: 'gsk-hush\n',
    json: { name: 'groq', hasKey: true, added: true },
  }),
  step('model add groq/x http://127.0.0.1:9/v1 --window 9000 --price 0.5:1', {
    code: 1,
    text: /was added, but: groq cannot be reached/,
  }),
  step('model list', {
    json: [{ name: 'local/echo' }, { name: 'groq/x', contextWindow: 9_000, priceKnown: true }],
  }),
  step('model providers', { text: /groq +http:\/\/127.0.0.1:9\/v1 +yes +yes/ }),
  step('model providers', { json: [{ name: 'groq', added: true }] }),
  step('model remove groq', { json: { name: 'groq' } }),
  step('model remove groq', { code: 3, text: /Provider not found/ }),
];
