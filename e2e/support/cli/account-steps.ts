import { expect } from '@jest/globals';
import { has, anyText, step, type Step } from './step';

/** Commands for users, sessions, tokens and the signing key. */
export const accountSteps: readonly Step[] = [
  step('user create Cyd --request-id r1', { json: { name: 'Cyd' }, keep: { cydId: 'id' } }),
  step('user create Cyd --request-id r1', { json: { id: '$cydId' } }),
  step('user get', { json: { id: '$adaId', nametag: '$ada', name: 'Ada' } }),
  step('user get $cydId', { code: 3 }),
  step('whoami', { json: { id: '$adaId', context: 'ada', agentId: '' } }),
  step('user list', { json: [{ id: '$adaId' }] }),
  step('user find $bob', { json: { id: '$bobId', name: 'Bob' } }),
  step('user set --time-zone Europe/Berlin', { json: { id: '$adaId', timeZone: 'Europe/Berlin' } }),
  step("user set --name 'Ada L.'", { json: { name: 'Ada L.', timeZone: 'Europe/Berlin' } }),
  step('user set --name Ada', { json: { name: 'Ada' } }),
  step('user set --time-zone Nowhere/Else', { code: 2, text: /time zone/ }),
  step('session list', { json: has({ userId: '$adaId', openedBy: 'admin' }) }),
  step('session revoke nosuchsession1', { code: 3, text: /daycare session list/ }),
  step('session revoke --user $cydId', { json: { ended: 0 } }),
  step("token create 'backup script' --scope agents:read --days 7", {
    json: { token: { name: 'backup script', scopes: ['agents:read'] }, secret: anyText },
    keep: { patId: 'token.id', pat: 'secret' },
  }),
  step('token create reader --scope everything', { code: 2, text: /"agents:read"/ }),
  step('token create monitoring --scope admin --admin', { json: { token: { scopes: ['admin'] } } }),
  step('token list', { json: has({ id: '$patId', subuserId: '' }) }),
  step('login --context reader --token $pat --identity $identity', {
    json: { context: 'reader', user: { id: '$adaId' } },
  }),
  step('user get --context reader', { json: { id: '$adaId' } }),
  step('user get', { env: { DAYCARE_TOKEN: '$pat' }, json: { id: '$adaId' } }),
  step('token list --context reader', { code: 4, text: /requires a sign-in/ }),
  step('context use ada'),
  step('token revoke $patId', { json: { tokenId: '$patId' } }),
  step('token revoke nosuchtoken1', { code: 3, text: /daycare token list/ }),
  step('console --url https://daycare.example.org', {
    json: { url: expect.stringContaining('https://daycare.example.org/sign-in?code=dcc_') },
  }),
  step('token issue $cydId', { json: { accessToken: anyText, refreshToken: anyText } }),
  step('key rotate', { json: { keyId: anyText } }),
];
