import { expect } from '@jest/globals';
import { has, anyText, step, type Step } from './step';

/** Sign-ins and contexts, and the commands that need no service. */
export const contextSteps: Step[] = [
  step('login --data-dir $data --name Ada', {
    json: { context: 'ada', user: { name: 'Ada' } },
    keep: { ada: 'user.nametag', adaId: 'user.id' },
  }),
  step('login --data-dir $data', { json: { context: 'ada', user: { id: '$adaId' } } }),
  step('login --data-dir $data --name Bob', {
    json: { context: 'bob' },
    keep: { bob: 'user.nametag', bobId: 'user.id' },
  }),
  step('login --data-dir $data --name Eve --context ada', {
    code: 5,
    text: /already belongs to Ada/,
  }),
  step('login --token nonsense --identity 127.0.0.1:1 --context x', {
    code: 2,
    text: /not a Daycare acc/,
  }),
  step('context list', { json: has({ name: 'bob', current: true, stack: '$data' }) }),
  step('context use ada'),
  step('context use nobody', { code: 3, text: /no context "nobody"/ }),
  step('context set work --identity id.example.org:443 --tls', {
    json: { name: 'work', addresses: { identity: 'id.example.org:443' }, tls: {} },
  }),
  step('context show work', { json: { name: 'work', tls: {} } }),
  step('context show', { json: { name: 'ada', tokens: { access: '(hidden)' } } }),
  step('context show --show-tokens', { keep: { token: 'tokens.access' } }),
  step('login --token - --identity $identity --context away', {
    stdin: '$token',
    json: { context: 'away', user: { id: '$adaId' } },
  }),
  step('friend list', { code: 2, text: /"away" has no address for social-graph/ }),
  step('context use ada', { json: { current: 'ada' } }),
  step('context delete work', { code: 2, text: /--yes/ }),
  step('context delete work --yes', { json: { name: 'work' } }),
  step('status', {
    json: { context: 'ada', services: has({ service: 'topology', health: 'serving' }) },
  }),
  step('help exit-codes', { text: /6 {2}service unreachable/ }),
  step('exit-codes', { json: has({ code: 6 }) }),
  step('version', { json: { version: anyText, node: anyText } }),
  step('completion bash', { json: { shell: 'bash', script: expect.stringContaining('friend') } }),
  step('completion zsh', { json: { shell: 'zsh' } }),
  step('completion names context', { code: 2, text: /use one of agent, subuser/ }),
  step('completion fish', { json: { shell: 'fish' } }),
];
