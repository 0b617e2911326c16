import { describe, expect, it } from '@jest/globals';
import type { ToolPolicy } from '../../agents';
import { checkToolPolicy, parseToolRules, type PolicyScope } from './check-policy';

const check = (policy: ToolPolicy, scope: Partial<PolicyScope> = {}): void =>
  checkToolPolicy(policy, { isSubuser: true, ceiling: {}, ...scope }, 'toolPolicy');
const violation = (description: string) =>
  expect.objectContaining({
    code: 'INVALID_ARGUMENT',
    details: {
      fields: [{ field: 'toolPolicy', description: expect.stringContaining(description) }],
    },
  });

describe('checkToolPolicy', () => {
  it('accepts stricter and looser verdicts for tools that the subuser has', () => {
    const rules = {
      cron_add: { guest: 'refuse' },
      file_write: { guest: 'run', outside: 'ask' },
    } as const;
    expect(() => check({ rules, isPrivate: true })).not.toThrow();
  });

  it.each([
    [
      'names a tool that does not exist',
      { teleport: { guest: 'run' } },
      'names "teleport", which is not a tool',
    ],
    [
      'names a tool that only top-level users have',
      { friend_send: { guest: 'refuse' } },
      'names "friend_send", a tool that subusers do not have',
    ],
  ] as const)('rejects a subuser’s policy that %s', (_, rules, problem) => {
    expect(() => check({ rules })).toThrow(violation(problem));
  });

  it('rejects a policy that lets guests decide what only a person may decide', () => {
    const rules = { friend_add: { guest: 'ask' } } as const;
    expect(() => check({ rules }, { isSubuser: false })).toThrow(
      violation('must have "refuse" for friend_add and "guest": only a person may decide this'),
    );
  });

  it('rejects a policy that is looser than the operator allows', () => {
    const ceiling = { exec: { guest: 'ask' } } as const;
    expect(() => check({ rules: { exec: { guest: 'run' } } }, { ceiling })).toThrow(
      violation('must have "ask" or stricter for exec and "guest"'),
    );
    expect(() => check({ rules: { exec: { guest: 'refuse' } } }, { ceiling })).not.toThrow();
  });

  it('rejects privacy settings for agents of top-level users', () => {
    const policy = { rules: {}, isPrivate: false };
    expect(() => check(policy, { isSubuser: false })).toThrow(
      violation('can set privacy for subusers only'),
    );
  });
});

describe('parseToolRules', () => {
  it('reads rules from JSON', () => {
    const rules = { exec: { guest: 'refuse', own: 'ask' } };
    expect(parseToolRules(JSON.stringify(rules))).toEqual(rules);
    expect(parseToolRules('{}')).toEqual({});
  });

  it.each([
    ['exec', 'must be a JSON object that maps tools to objects'],
    ['[]', 'must be a JSON object that maps tools to objects'],
    ['{"teleport":{}}', 'names "teleport", which is not a tool'],
    ['{"constructor":{}}', 'names "constructor", which is not a tool'],
    ['{"exec":"ask"}', 'must map exec to an object that maps trust levels to verdicts'],
    ['{"exec":{"guest":"maybe"}}', 'has {"guest":"maybe"} for exec'],
    ['{"exec":{"friend":"ask"}}', 'has {"friend":"ask"} for exec'],
  ])('returns what is wrong with the rules %s', (json, problem) => {
    expect(parseToolRules(json)).toContain(problem);
  });
});
