import { expect } from '@jest/globals';
import { has, like, anyText, step, type Step } from './step';

/** Commands for agents, files, tools and permission requests. */
export const agentSteps: Step[] = [
  step('agent show', {
    code: 3,
    text: /no conversation with an agent .*\nStart one by sending a message/,
  }),
  step('file upload - --name note.txt', {
    stdin: 'plain words',
    json: { name: 'note.txt', mimeType: 'text/plain', size: 11 },
    keep: { file: 'id' },
  }),
  step('agent send hello --wait --file $file', {
    json: { text: expect.stringContaining('hello'), failed: false },
    keep: { agent: 'agentId' },
  }),
  step('file download $file --to copy.txt', { json: { size: 11, path: anyText } }),
  step('agent list', { json: [{ id: '$agent', label: 'cli:me', foreground: true }] }),
  step('agent show me', { json: { id: '$agent' } }),
  step('agent show cli:me -o name', { text: /^[a-z0-9]{24}\n$/ }),
  step('agent list -o wide', { text: /ID +NAME +KIND .*MODEL\n[a-z0-9]{24} +cli:me/ }),
  step('agent show $agent', { json: { lifecycle: 'AGENT_LIFECYCLE_ACTIVE' } }),
  // Not `--limit 1`: notices that waited for the agent may have been answered after this message.
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
  step(`agent start 'Say hello' --name greeter`, { json: { agentId: anyText } }),
  step('agent history nosuchagent1', { code: 3, text: /daycare agent list/ }),
  step('completion names agent', { json: expect.arrayContaining(['cli:me', 'me']) }),
  step('tool list', { json: has({ name: 'friend_send' }) }),
  step('tool call topology', { json: { text: expect.stringContaining('$ada') } }),
  step('tool call nothing', { code: 3, text: /daycare tool list/ }),
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
