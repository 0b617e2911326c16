import { expect, it } from '@jest/globals';
import { testAgent } from '../test-support/test-agent';
import { makeTools, type ToolDeps } from './index';
import { ToolRegistry } from './tool-registry';

const forOwnersOnly = /^(friend|subuser)_/;

it('every tool can be told to a model, and agents of subusers hear of none for owners', () => {
  // Nothing is called here.
  const tools = new ToolRegistry(makeTools({ homes: {}, memory: {} } as ToolDeps));
  const all = tools.list(testAgent());
  for (const { name, description, inputSchema } of all) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(description.length).toBeGreaterThan(30);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
  const names = all.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'friend_send',
      'subuser_create',
      'skill_read',
      'file_read',
      'memory_read',
    ]),
  );
  const ofSubuser = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
  expect(tools.list(ofSubuser).map(({ name }) => name)).toEqual(
    names.filter((name) => !forOwnersOnly.test(name)),
  );
});
