import { expect } from '@jest/globals';
import { step, type Step } from './step';

/** Commands for memory, files, skills, usage and budgets. */
export const dataSteps: Step[] = [
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
  step('usage --by colour', { code: 2, text: /one or more of day, user/ }),
  step('usage --from 2026-02-30', { code: 2, text: /--from/ }),
  step('budget set --period day', { code: 2, text: /--tokens, --cost or both/ }),
  step('budget set --period day --cost 1.50', {
    json: { period: 'BUDGET_PERIOD_DAY', maxCostMicros: 1_500_000 },
  }),
  step('budget list', { json: [{ maxCostMicros: 1_500_000, setByOperator: false }] }),
  step('budget remove --period day', { json: { userId: '' } }),
  step('budget list', { text: /No budgets/ }),
];
