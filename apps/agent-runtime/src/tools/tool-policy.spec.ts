import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trustLevels } from '@daycare/api';
import { verdicts } from '../agents';
import { testAgent } from '../test-support/test-agent';
import { toolNames, toolTable, type ToolRow, type Verdicts } from './domain/tool-policy';
import { makeTools, type ToolFamiliesDeps } from './make-tools';

// These tests call no tool.
const nothing = {};
const noDeps = {
  files: nothing,
  memory: nothing,
  messaging: nothing,
  runProgram: async () => undefined,
  schedules: nothing,
  subusers: nothing,
} as unknown as ToolFamiliesDeps;
const tools = makeTools(noDeps);
const rowOf = (name: keyof typeof toolTable): ToolRow => toolTable[name];

it('every tool has a row in the tool policy, and every row belongs to a tool', () => {
  expect(tools.map(({ name }) => name).sort()).toEqual([...toolNames].sort());
});

it('the tools that can name a recipient are exactly those with verdicts per recipient', () => {
  const sending = tools.filter(({ recipientOf }) => recipientOf).map(({ name }) => name);
  expect(sending.sort()).toEqual(toolNames.filter((name) => rowOf(name).to).sort());
});

it('the tools that can schedule a later effect are exactly those with separate verdicts for such calls', () => {
  const later = tools.filter(({ isLater }) => isLater).map(({ name }) => name);
  expect(later).toEqual(toolNames.filter((name) => rowOf(name).later));
});

it.each([
  [{}, false],
  [{ delayMs: 0, repeatKey: '' }, false],
  [{ delayMs: 1 }, true],
  [{ repeatKey: 'k' }, true],
])('for emit_signal with %j, isLater returns %s', (more, isLater) => {
  const emit = tools.find(({ name }) => name === 'emit_signal');
  expect(emit?.isLater?.({ type: 'a', ...more })).toBe(isLater);
});

it('the tool policy and the tools agree on which tools are for top-level users only', () => {
  const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
  const hidden = tools
    .filter(({ isVisibleTo }) => !isVisibleTo(subuserAgent))
    .map(({ name }) => name);
  expect(hidden.sort()).toEqual(toolNames.filter((name) => rowOf(name).isTopLevelOnly).sort());
});

it('no tool has a looser verdict for a lower trust level', () => {
  const neverLoosens = (row: Verdicts): boolean => {
    const ranks = trustLevels.map((trust) => verdicts.indexOf(row[trust]));
    return ranks.every((rank, at) => rank >= (ranks[at - 1] ?? 0));
  };
  for (const name of toolNames) {
    const { verdicts: standard, later = standard, to = {} } = rowOf(name);
    for (const row of [standard, later, ...Object.values(to)])
      expect([name, neverLoosens(row)]).toEqual([name, true]);
  }
});

it('without approval, and apart from messages to certain recipients, a guest’s turn can only read, reach the user’s own agents or request a permission', () => {
  const runForGuests = toolNames.filter((name) => rowOf(name).verdicts.guest === 'run');
  expect(runForGuests).toEqual([
    'attachment_read',
    'channel_history',
    'channel_send',
    'cron_list',
    'emit_signal',
    'expose_list',
    'file_list',
    'file_read',
    'file_search',
    'friend_list',
    'heartbeat_list',
    'memory_list',
    'memory_read',
    'memory_search',
    'request_permission',
    'signal_events',
    'skill_read',
    'subuser_list',
    'tool_search',
    'topology',
  ]);
});

it('docs/trust.md shows the current tool policy', async () => {
  const page = await readFile(join(__dirname, '../../../../docs/trust.md'), 'utf8');
  const cells = (row: Verdicts): string => trustLevels.map((trust) => row[trust]).join(' | ');
  const lines = toolNames.flatMap((name) => {
    const { verdicts: standard, to = {}, later, readsPrivate } = rowOf(name);
    const more = Object.entries(to).map(
      ([to, row]) => `| \`${name}\` to ${to} | ${cells(row)} | |`,
    );
    if (later) more.push(`| \`${name}\` later | ${cells(later)} | |`);
    return [`| \`${name}\` | ${cells(standard)} | ${readsPrivate ? 'yes' : ''} |`, ...more];
  });
  const pageLines = page.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
  expect(
    lines.map((line) => line.replaceAll(/ +/g, ' ')).filter((line) => !pageLines.includes(line)),
  ).toEqual([]);
});
