import { has, some, step, type Step } from './step';

/** Users, their sessions, and the key that signs their tokens. */
export const accountSteps: readonly Step[] = [
  step('user create Cyd --request-id r1', { json: { name: 'Cyd' }, keep: { cydId: 'id' } }),
  step('user create Cyd --request-id r1', { json: { id: '$cydId' } }),
  step('user get', { json: { id: '$adaId', nametag: '$ada', name: 'Ada' } }),
  step('user get $cydId', { code: 3 }),
  step('user set --time-zone Europe/Berlin', { json: { id: '$adaId', timeZone: 'Europe/Berlin' } }),
  step('user set --time-zone Nowhere/Else', { code: 2, text: /time zone/ }),
  step('session list', { json: has({ userId: '$adaId', openedBy: 'admin' }) }),
  step('session revoke nosuchsession1', { code: 3, text: /daycare session list/ }),
  step('session revoke --user $cydId', { json: { ended: 0 } }),
  step('key rotate', { json: { keyId: some } }),
];
