import { expect } from '@jest/globals';
import { has, like, anyText, step, type Step } from './step';

const running = (service: string) =>
  like({ service, problems: [], status: like({ replica: anyText }) });

/** Operators' commands. They expect exactly one dead letter: a message to Ada's subuser that is still undelivered. */
export const adminSteps: readonly Step[] = [
  step('admin status', {
    json: { services: ['identity', 'social-graph', 'agent-runtime', 'topology'].map(running) },
    keep: { replica: 'services.2.status.replica' },
  }),
  step('admin status', { text: /SERVICE +VERSION +REPLICA/ }),
  step('admin outbox', { json: { services: has({ service: 'identity', waiting: 0 }) } }),
  step('admin outbox', { text: /SERVICE +WAITING/ }),
  step('admin users $ada', {
    json: [{ id: '$adaId', nametag: '$ada', name: 'Ada', parentUserId: '' }],
  }),
  step('admin users nosuchname', { json: [] }),
  step('admin users', { json: has({ id: '$cydId' }) }),
  step('admin dead-letters --user $ada', {
    json: [{ origin: 'friend:$bob', reason: 'The agent is dead', text: '' }],
    keep: { adminLetter: '0.id' },
  }),
  step('admin dead-letters', { json: has({ id: '$adminLetter' }) }),
  step('admin dead-letters --user $bob', { json: [] }),
  step('admin dead-letters --retry $adminLetter', { code: 5, text: /agent is dead/ }),
  step('admin dead-letters --discard nosuchletter', { code: 3 }),
  step('admin dead-letters --discard x --retry y', { code: 2, text: /not both/ }),
  step('admin sessions $ada', { json: has({ userId: '$adaId' }) }),
  step('admin sessions $cydId --end-all', { json: { ended: 1 } }),
  step('user delete $cydId --yes', { json: { userId: '$cydId' } }),
  step('admin sessions nosuchuser12', { code: 3, text: /daycare admin users/ }),
  step('admin shards', {
    json: { replicas: [{ id: '$replica', drained: false }], stuckAgents: [] },
  }),
  step('admin shards', { text: /No agent is stuck/ }),
  step('admin drain nosuchreplica', { code: 3, text: /daycare admin shards/ }),
  step('admin drain $replica', { json: { drained: true } }),
  step('admin shards', {
    eventually: true,
    json: { replicas: [{ id: '$replica', drained: true, leaving: true, shards: 0 }] },
  }),
  step('admin drain $replica --resume', { json: { drained: false } }),
  step('admin shards', {
    eventually: true,
    json: {
      replicas: [{ drained: false, leaving: false }],
      shards: expect.not.arrayContaining([like({ replicaId: '' })]),
    },
  }),
];
