import { step, type Step } from './step';

/** The commands about models. */
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
];
