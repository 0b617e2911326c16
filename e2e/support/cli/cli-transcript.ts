import { expect } from '@jest/globals';
import { accountSteps } from './account-steps';
import { adminSteps } from './admin-steps';
import { agentSteps } from './agent-steps';
import { contextSteps } from './context-steps';
import { dataSteps } from './data-steps';
import { modelSteps } from './model-steps';
import { scheduleSteps } from './schedule-steps';
import { has, anyText, step, type Step } from './step';
import { wiringSteps } from './wiring-steps';

const people: Step[] = [
  ...accountSteps,
  step('friend add nobody99', { code: 3, text: /not found\.\nCheck the nametag/ }),
  step(`friend add 'No Tag'`, { code: 2, text: /words followed by digits/ }),
  step('friend add $bob', { json: { status: 'ADD_FRIEND_STATUS_PENDING_OUT', nametag: '$bob' } }),
  step('friend add $ada --context bob', { json: { status: 'ADD_FRIEND_STATUS_FRIENDS' } }),
  step('friend nickname Bob Bobby', { json: { nametag: '$bob', nickname: 'Bobby' } }),
  step('friend list', {
    json: {
      friends: [{ nametag: '$bob', name: 'Bob', nickname: 'Bobby' }],
      friendCount: 1,
      blocks: [],
    },
  }),
  step('friend send $bob -', {
    stdin: 'Dinner at eight?',
    json: { summary: 'Message sent to $bob' },
    keep: { message: 'messageId' },
  }),
  step('friend status $message', {
    json: { status: 'MESSAGE_STATUS_DELIVERED' },
    eventually: true,
  }),
];

const subusers: Step[] = [
  step('subuser create Cook --prompt - --description Recipes', {
    stdin: 'You know recipes.',
    json: { name: 'Cook', nametag: anyText },
    keep: { cook: 'subuserId', cookTag: 'nametag' },
  }),
  step(`subuser configure $cook --prompt 'You know soups.'`, { json: {} }),
  step('subuser list', { json: [{ id: '$cook', nametag: '$cookTag', description: 'Recipes' }] }),
  step('subuser rename cook Chef', { json: { name: 'Chef' } }),
  step('subuser rename nosuchuser1 Chef', { code: 3, text: /daycare subuser list/ }),
  step('agent list --subuser $cook', { json: [{ descriptor: { subuser: { id: '$cook' } } }] }),
  step(`agent message Chef 'What can I make?'`, { json: { agentId: anyText } }),
  step('friend share Bobby chef', { json: { status: 'SHARE_STATUS_PENDING' } }),
  step('friend unshare Bob Chef', { json: { status: 'REMOVAL_STATUS_REMOVED' } }),
];

const deadLetters: Step[] = [
  step('dead-letter list', {
    before: 'undelivered',
    json: [{ text: 'Hello?', origin: 'friend:$bob' }],
    keep: { letter: '0.id' },
    eventually: true,
  }),
  step('dead-letter retry $letter', { code: 5, text: /agent is dead/ }),
  ...adminSteps,
  step('dead-letter retry $letter', { before: 'gateway', json: { deadLetterId: '$letter' } }),
  step('dead-letter list', {
    before: 'undelivered',
    json: [{ text: 'Hello?' }],
    keep: { letter: '0.id' },
    eventually: true,
  }),
  step('dead-letter delete $letter --yes', { json: { deadLetterId: '$letter' } }),
  step('dead-letter list', { json: [] }),
  step('dead-letter delete $letter --yes', { code: 3, text: /daycare dead-letter list/ }),
];

const finalSteps: Step[] = [
  step('account export all', {
    json: {
      files: expect.arrayContaining(['budgets.json', 'dead-letters.json', 'you/memory.json']),
    },
  }),
  step('account export all', { code: 5, text: /--force/ }),
  step('subuser delete Chef --yes', { json: { subuserId: '$cook' } }),
  step('friend limit $bob --per-hour 20', {
    json: { nametag: '$bob', limits: { messagesPerHour: 20 } },
  }),
  step('friend remove Bobby --yes', { json: { status: 'REMOVAL_STATUS_REMOVED' } }),
  step('friend add $bob', {
    code: 5,
    text: /You may send .* a friend request again from .*Z\.\nThat is in 7 days\./,
  }),
  step('friend block $bob', { json: { nametag: '$bob' } }),
  step('friend unblock $bob', { json: { nametag: '$bob' } }),
  step('friend list', {
    env: { DAYCARE_SOCIAL_GRAPH_ADDRESS: '127.0.0.1:1' },
    code: 6,
    text: /^social-graph at 127\.0\.0\.1:1 is not responding\.\nIs it running\?/,
  }),
  step('status', {
    env: { DAYCARE_TOPOLOGY_ADDRESS: '127.0.0.1:1' },
    code: 1,
    json: { services: has({ service: 'topology', health: 'unreachable' }) },
  }),
  step('friend list', {
    env: { DAYCARE_TOKEN: 'x.y.z' },
    code: 4,
    text: /\nDAYCARE_TOKEN was rejected; unset it or set a new one\.\n$/,
  }),
  step('friend list --context bob --output xml', { code: 2, text: /Allowed choices are/ }),
  step('friend dance', { code: 2, text: /unknown command 'dance'/ }),
  step('logout --context bob', { json: { context: 'bob' } }),
  step('friend list --context bob', { code: 4, text: /not signed in.*\nSign in with/ }),
  step('login --data-dir $data --context bob', { json: { user: { nametag: '$bob' } } }),
  step('logout --everywhere --context bob', { json: { context: 'bob' } }),
  step('login --data-dir $data --context bob', { json: { user: { nametag: '$bob' } } }),
  step('login --data-dir $data --name Dan', { json: { context: 'dan' } }),
  step('account delete --context dan --yes', { json: { context: 'dan' } }),
  step('context use ada'),
];

/** Ada's session, with Bob in a second context: all commands that are not tested elsewhere, and common mistakes. */
export const transcript: readonly Step[] = [
  ...contextSteps,
  ...people,
  ...agentSteps,
  ...subusers,
  ...scheduleSteps,
  ...wiringSteps,
  ...dataSteps,
  ...modelSteps,
  ...deadLetters,
  ...finalSteps,
];
