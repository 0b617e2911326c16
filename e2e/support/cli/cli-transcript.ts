import { expect } from '@jest/globals';
import { modelSteps } from './model-steps';
import { accountSteps } from './account-steps';
import { adminSteps } from './admin-steps';
import { scheduleSteps } from './schedule-steps';
import { has, like, some, step, type Step } from './step';

const contexts: Step[] = [
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
  step('version', { json: { version: some, node: some } }),
  step('completion bash', { json: { shell: 'bash', script: expect.stringContaining('friend') } }),
  step('completion zsh', { json: { shell: 'zsh' } }),
  step('completion names context', { code: 2, text: /use one of agent, subuser/ }),
  step('completion fish', { json: { shell: 'fish' } }),
];

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

const agents: Step[] = [
  step('agent show', { code: 3, text: /no agent .*\nCreate one by sending a message/ }),
  step('file upload - --name note.txt', {
    stdin: 'plain words',
    json: { name: 'note.txt', mimeType: 'text/plain', size: 11 },
    keep: { file: 'id' },
  }),
  step('agent send hello --wait --file $file', {
    json: { text: expect.stringContaining('hello'), failed: false },
    keep: { agent: 'agentId' },
  }),
  step('file download $file --to copy.txt', { json: { size: 11, path: some } }),
  step('agent list', { json: [{ id: '$agent', label: 'cli:me', foreground: true }] }),
  step('agent show me', { json: { id: '$agent' } }),
  step('agent show cli:me -o name', { text: /^[a-z0-9]{24}\n$/ }),
  step('agent list -o wide', { text: /ID +NAME +KIND .*MODEL\n[a-z0-9]{24} +cli:me/ }),
  step('agent show $agent', { json: { lifecycle: 'AGENT_LIFECYCLE_ACTIVE' } }),
  // Notices that waited for the agent may have been answered since.
  step('agent history --newest-first --limit 10', {
    json: has({ userMessage: like({ text: 'hello', files: [like({ id: '$file' })] }) }),
  }),
  step('agent watch --after 1 --limit 1', { json: { sequence: 2, userMessage: {} } }),
  step('file upload - --name draft.txt', { stdin: 'a draft', keep: { draft: 'id' } }),
  step('file uploads', { json: [{ file: { id: '$draft', size: 7 } }, { file: { id: '$file' } }] }),
  step('file discard $draft', { json: { fileId: '$draft' } }),
  step('file discard $draft', { code: 3, text: /Run "daycare file uploads"/ }),
  step('file uploads', { json: [{ file: { id: '$file', name: 'note.txt' } }] }),
  step('agent export kept', { json: { agentId: '$agent', files: [{}, {}, {}] } }),
  step('agent export kept', { code: 5, text: /--force/ }),
  step(`agent reset --message 'New topic'`, { json: { agentId: '$agent' } }),
  step(`agent start 'Say hello' --name greeter`, { json: { agentId: some } }),
  step('agent history nosuchagent1', { code: 3, text: /daycare agent list/ }),
  step('completion names agent', { json: expect.arrayContaining(['cli:me', 'me']) }),
  step('tool list', { json: has({ name: 'friend_send' }) }),
  step('tool call topology', { json: { text: expect.stringContaining('$ada') } }),
  step('tool call nothing', { code: 3, text: /daycare tool list/ }),
];

const control: Step[] = [
  step(`agent stop --say 'Only this.'`, { json: { agentId: '$agent' } }),
  step('agent create Librarian --prompt -', {
    stdin: 'Keep my reading list.',
    json: { descriptor: { permanent: { name: 'Librarian' } } },
    keep: { librarian: 'id' },
  }),
  step('agent configure $librarian --name Archivist --tool cron_add:guest=refuse', {
    json: { id: '$librarian', descriptor: { permanent: { name: 'Archivist' } } },
  }),
  step('agent configure $librarian --tool cron_add', { code: 2, text: /cron_add:guest=refuse/ }),
  step('agent end Archivist', { code: 2, text: /End agent Archivist for good\? Pass --yes/ }),
  step('agent end Archivist --yes', { json: { agentId: '$librarian' } }),
  step('agent end nosuchagent1 --yes', { code: 3, text: /daycare agent list/ }),
];

const permissions: Step[] = [
  step(`agent send '/request_permission {"permission":"network","reason":"To look"}'`),
  step('permission list --state pending', {
    json: [{ permission: 'network', reason: 'To look' }],
    keep: { request: '0.id' },
    eventually: true,
  }),
  step('permission watch --limit 1', { json: { id: '$request', permission: 'network' } }),
  step('permission decide $request grant', { json: { state: 'PERMISSION_STATE_GRANTED' } }),
  step('permission decide $request deny', {
    code: 5,
    text: /already granted.*\n.*permission revoke/,
  }),
  step('permission decide $request perhaps', { code: 2, text: /"grant", "always" or "deny"/ }),
  step('permission grants', {
    json: [{ permission: 'network', coversPrivate: true }],
    keep: { grant: '0.id' },
  }),
  step('permission revoke $grant', { json: { grantId: '$grant' } }),
  step('permission grants', { json: [] }),
  step('permission revoke nosuchgrant1', { code: 3, text: /daycare permission grants/ }),
];

const subusers: Step[] = [
  step('subuser create Cook --prompt - --description Recipes', {
    stdin: 'You know recipes.',
    json: { name: 'Cook', nametag: some },
    keep: { cook: 'subuserId', cookTag: 'nametag' },
  }),
  step(`subuser configure $cook --prompt 'You know soups.'`, { json: {} }),
  step('subuser list', { json: [{ id: '$cook', nametag: '$cookTag', description: 'Recipes' }] }),
  step('subuser rename cook Chef', { json: { name: 'Chef' } }),
  step('subuser rename nosuchuser1 Chef', { code: 3, text: /daycare subuser list/ }),
  step('agent list --subuser $cook', { json: [{ descriptor: { subuser: { id: '$cook' } } }] }),
  step(`agent message Chef 'What can I make?'`, { json: { agentId: some } }),
  step('friend share Bobby chef', { json: { status: 'SHARE_STATUS_PENDING' } }),
  step('friend unshare Bob Chef', { json: { status: 'REMOVAL_STATUS_REMOVED' } }),
];

const wiring: Step[] = [
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
    json: { name: 'hook', password: some, target: { agentId: '$agent' } },
    keep: { endpoint: 'id' },
  }),
  step('expose create hook nowhere', { code: 2, text: /port:N/ }),
  step('expose update hook --name door', { json: { name: 'door' } }),
  step('expose list', { json: [{ id: '$endpoint', target: { agentId: '$agent' } }] }),
  step('expose remove $endpoint', { json: { endpointId: '$endpoint' } }),
];

const keeping: Step[] = [
  step(`memory write Birthday 'Anna: 4 May' --id anna`, { json: { nodeId: 'anna', isNew: true } }),
  step('memory read anna', {
    json: { title: 'Birthday', text: expect.stringMatching(/^Anna: 4/) },
  }),
  step('memory search birthday', { json: [{ nodeId: 'anna' }] }),
  step('memory list', { json: [{ nodeId: 'anna', title: 'Birthday', childCount: 0 }] }),
  step('memory delete anna --yes', { json: { deleted: true } }),
  step('memory delete anna --yes', { code: 3, text: /anna/ }),
  step('file write home/notes.txt -', { stdin: 'Buy milk\n', json: { bytes: 9 } }),
  step('file read home/notes.txt', { json: { text: 'Buy milk' } }),
  step('file list home', { json: [{ path: 'home/notes.txt', kind: 'file', size: 9 }] }),
  step('file search milk', { json: [{ path: 'home/notes.txt', line: 1 }] }),
  step('file delete home/notes.txt --yes', { json: { deleted: true } }),
  step('file delete home/notes.txt --yes', { code: 3 }),
  step('file read ../secrets', { code: 2 }),
  step('file write skills/cook.md -', { stdin: 'Cook slowly.\n', json: { bytes: 13 } }),
  step('skill list', { json: [{ name: 'cook', inQuarantine: false }] }),
  step('skill show cook', { json: { text: 'Cook slowly.\n' }, keep: { skillHash: 'sha256' } }),
  step('skill approve cook --sha256 $skillHash', { json: { name: 'cook' } }),
  step(`skill approve cook --sha256 ${'0'.repeat(64)}`, { code: 5, text: /read it again/ }),
  step('skill show nothing', { code: 3, text: /daycare skill list/ }),
  step('usage --by model', { json: [{ model: 'local/echo', failedCalls: 0 }] }),
  step('usage --by colour', { code: 2, text: /any of day, user/ }),
  step('usage --from 2026-02-30', { code: 2, text: /--from/ }),
  step('budget set --period day', { code: 2, text: /--tokens, --cost or both/ }),
  step('budget set --period day --cost 1.50', {
    json: { period: 'BUDGET_PERIOD_DAY', maxCostMicros: 1_500_000 },
  }),
  step('budget list', { json: [{ maxCostMicros: 1_500_000, setByOperator: false }] }),
  step('budget remove --period day', { json: { userId: '' } }),
  step('budget list', { text: /spending is not limited/ }),
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

const parting: Step[] = [
  step('account export all', { json: { files: expect.arrayContaining(['you/memory.json']) } }),
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

/** A session of Ada's, with Bob in a second context: every command, and common mistakes. */
export const transcript: readonly Step[] = [
  ...contexts,
  ...people,
  ...agents,
  ...control,
  ...permissions,
  ...subusers,
  ...scheduleSteps,
  ...wiring,
  ...keeping,
  ...modelSteps,
  ...deadLetters,
  ...parting,
];
