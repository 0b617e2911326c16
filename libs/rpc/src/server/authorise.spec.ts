import { describe, expect, it } from '@jest/globals';
import { socialGraphAccess, type Role } from '@daycare/contracts/access';
import { tokenScopes, type ScopeRule } from '@daycare/contracts/scopes';
import type { Caller } from '../shared/call-context';
import { makeAuthorise } from './authorise';

const callers: Record<string, Caller> = {
  anonymous: { kind: 'anonymous' },
  person: { kind: 'user', userId: 'u' },
  agent: { kind: 'user', userId: 'u', agentId: 'a' },
  subuser: { kind: 'user', userId: 's', parentUserId: 'u' },
  'agent of a subuser': { kind: 'user', userId: 's', parentUserId: 'u', agentId: 'a' },
  'agent through topology': { kind: 'user', userId: 'u', agentId: 'a', via: 'topology' },
  'user through topology': { kind: 'user', userId: 'u', via: 'topology' },
  topology: { kind: 'service', service: 'topology', proof: 'token' },
  client: { kind: 'client', name: 'telegram', proof: 'token' },
  admin: { kind: 'admin', proof: 'token' },
};

const allowed: Record<
  Exclude<Role, `${'service' | 'user'}:${string}`> | 'service:topology',
  string[]
> = {
  anyone: Object.keys(callers),
  user: ['person', 'agent', 'agent through topology', 'user through topology'],
  person: ['person'],
  subuser: ['subuser', 'agent of a subuser'],
  client: ['client'],
  admin: ['admin'],
  service: ['topology'],
  'service:topology': ['agent through topology', 'user through topology', 'topology'],
};

describe('makeAuthorise', () => {
  it.each(Object.entries(allowed))(
    'admits exactly the callers that have the role %s',
    (role, names) => {
      const authorise = makeAuthorise([role as Role], 'any');
      const admitted = Object.keys(callers).filter((name) => {
        try {
          authorise(callers[name]!);
          return true;
        } catch {
          return false;
        }
      });
      expect(admitted).toEqual(names);
    },
  );

  it('lets an agent add friends only through agent-runtime, which knows which turn the agent is in', () => {
    const authorise = makeAuthorise(socialGraphAccess.addFriend, 'any');
    const agent = { kind: 'user', userId: 'u', agentId: 'a' } as const;
    expect(() => authorise(agent)).toThrow('not allowed');
    expect(() => authorise({ ...agent, via: 'topology' })).toThrow('not allowed');
    const subuserAgent = { ...agent, parentUserId: 'o', via: 'agent-runtime' };
    expect(() => authorise(subuserAgent)).toThrow('not allowed');
    authorise({ ...agent, via: 'agent-runtime' });
    authorise({ kind: 'user', userId: 'u' });
  });

  describe('with a personal access token', () => {
    const reader: Caller = { kind: 'user', userId: 'u', scopes: ['agents:read', 'friends'] };
    const operator: Caller = { kind: 'admin', proof: 'token', scopes: ['admin'] };
    const admits = (caller: Caller, rule: ScopeRule, roles: Role[] = ['user', 'admin']) => {
      try {
        makeAuthorise(roles, rule)(caller);
        return true;
      } catch {
        return false;
      }
    };

    it('admits a token only to calls that require one of its scopes or that every token may make', () => {
      const admitted = [...tokenScopes, 'any', 'none'] as const;
      expect(admitted.filter((rule) => admits(reader, rule))).toEqual([
        'agents:read',
        'friends',
        'any',
      ]);
    });

    it('refuses a caller whose role may not make the call, even with a token that has the scope', () => {
      expect(admits(reader, 'agents:read', ['admin'])).toBe(false);
      expect(admits({ ...reader, scopes: ['admin'] }, 'admin', ['admin'])).toBe(false);
    });

    it("admits an operator's token with the scope admin to everything that operators may do, except what requires a sign-in", () => {
      expect(admits(operator, 'agents:read')).toBe(true);
      expect(admits(operator, 'none')).toBe(false);
      expect(admits({ ...operator, scopes: ['agents:read'] }, 'agents:read')).toBe(false);
    });

    it('admits a token without scopes only to calls that every token may make', () => {
      expect(admits({ ...reader, scopes: [] }, 'any')).toBe(true);
      expect(admits({ ...reader, scopes: [] }, 'agents:read')).toBe(false);
    });

    it('names the missing scope in the error', () => {
      const authorise = makeAuthorise(['user'], 'subusers');
      expect(() => authorise(reader)).toThrow('The access token lacks the scope "subusers"');
    });
  });

  it('refuses every caller if the access table lists none for the call', () => {
    const authorise = makeAuthorise([], 'any');
    for (const caller of Object.values(callers)) expect(() => authorise(caller)).toThrow();
  });
});
