import { expect, it } from '@jest/globals';
import { testAgent } from '../test-support/test-agent';
import { estimateTokens } from '../agents';
import { loadedFamilies, offerTools, searchTools } from './domain/offer-tools';
import { makeTools, type ToolFamiliesDeps } from './make-tools';
import { testRegistry } from '../test-support/test-tool';

const topLevelTools = /^(friend|subuser)_/;
// These tests call no tool.
const noDeps = {
  files: {},
  memory: {},
  messaging: {},
  schedules: {},
  subusers: {},
} as ToolFamiliesDeps;
const tools = testRegistry(makeTools(noDeps));
const names = tools.list(testAgent()).map(({ name }) => name);

it('every tool has a name, a description and a strict schema that a model can read', () => {
  for (const { name, description, inputSchema } of tools.list(testAgent())) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(description.length).toBeGreaterThan(30);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
});

it('the tools offered to an agent fit into a budget of 4,000 tokens: those that every agent needs, and the families that fit', () => {
  const offered = offerTools(tools.list(testAgent()), new Set(), 4_000);
  expect(estimateTokens(JSON.stringify(offered))).toBeLessThan(4_000);
  const offeredNames = offered.map(({ name }) => name);
  expect(offeredNames).toEqual(
    expect.arrayContaining(['tool_search', 'friend_send', 'memory_write']),
  );
  expect(offeredNames).not.toContain('expose_create');
});

it('a tool that did not fit is offered once tool_search has found its family', () => {
  const found = searchTools(tools.list(testAgent()), 'publish over HTTP endpoint');
  expect(found.families).toEqual(['endpoint']);
  const context = [
    {
      role: 'tool',
      toolCallId: 'c1',
      toolName: 'tool_search',
      resultJson: JSON.stringify(found),
      isError: false,
    } as const,
  ];
  const offered = offerTools(tools.list(testAgent()), loadedFamilies(context), 4_000);
  expect(offered.map(({ name }) => name)).toContain('expose_create');
});

it('agents of top-level users see friend, subuser, skill, file and memory tools', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      'friend_send',
      'subuser_create',
      'skill_read',
      'file_read',
      'memory_read',
    ]),
  );
});

it('agents of subusers see no friend or subuser tools', () => {
  const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
  expect(tools.list(subuserAgent).map(({ name }) => name)).toEqual(
    names.filter((name) => !topLevelTools.test(name)),
  );
});
