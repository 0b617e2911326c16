import { has, anyText, step, type Step } from './step';

/** Commands for signals, channels and endpoints. */
export const wiringSteps: Step[] = [
  step('signal subscribe build:*', { json: { agentId: '$agent', silent: true } }),
  step(`signal emit build:done --data '{"ok":true}'`, {
    json: { type: 'build:done', dataJson: '{"ok":true}' },
  }),
  step('signal emit tea:ready --delay 600 --repeat-key tea', {
    json: { state: 'SIGNAL_STATE_WAITING' },
  }),
  step('signal events --pattern build:* --limit 5', { json: [{ type: 'build:done' }] }),
  step('signal subscriptions', { json: [{ agentId: '$agent', pattern: 'build:*' }] }),
  step('signal unsubscribe build:*', { json: { pattern: 'build:*' } }),
  step('channel create ops', { json: { name: 'ops', leaderAgentId: '$agent' } }),
  step('agent send hi --channel second', { keep: { second: 'agentId' } }),
  step('channel join ops dev --agent $second', { json: { members: has({ username: 'dev' }) } }),
  step(`channel send ops '@dev have a look' --agent $agent`, { json: { mentions: ['dev'] } }),
  step('channel history ops', { json: [{ text: '@dev have a look', mentions: ['dev'] }] }),
  step('channel list', { json: [{ name: 'ops', leaderAgentId: '$agent' }] }),
  step('channel leave ops --agent second', { json: { agentId: '$second' } }),
  step('channel history nothing', { code: 3, text: /daycare channel list/ }),
  step('expose create site port:8080', { code: 2, text: /DAYCARE_EDGE_PORTS/ }),
  step('expose create hook agent:me', {
    json: { name: 'hook', password: anyText, target: { agentId: '$agent' } },
    keep: { endpoint: 'id' },
  }),
  step('expose create hook nowhere', { code: 2, text: /port:N/ }),
  step('expose update hook --name door', { json: { name: 'door' } }),
  step('expose list', { json: [{ id: '$endpoint', target: { agentId: '$agent' } }] }),
  step('expose remove $endpoint', { json: { endpointId: '$endpoint' } }),
];
