import { expect, it } from '@jest/globals';
import { testAgent } from '../test-support/test-agent';
import { makeTools, type ToolFamiliesDeps } from './make-tools';
import { ToolRegistry } from './registry/tool-registry';

const topLevelTools = /^(friend|subuser)_/;
// No tool is called here.
const noDeps = {
  files: {},
  memory: {},
  messaging: {},
  schedules: {},
  subusers: {},
} as ToolFamiliesDeps;
const tools = new ToolRegistry(makeTools(noDeps));
const names = tools.list(testAgent()).map(({ name }) => name);

it('every tool has a name, a description and a strict schema that a model can read', () => {
  for (const { name, description, inputSchema } of tools.list(testAgent())) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(description.length).toBeGreaterThan(30);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
});

it('the tools of all families are listed', () => {
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
  const ofSubuser = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
  expect(tools.list(ofSubuser).map(({ name }) => name)).toEqual(
    names.filter((name) => !topLevelTools.test(name)),
  );
});
