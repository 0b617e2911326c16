import { describe, expect, it } from '@jest/globals';
import { socialGraphAccess, type Role } from '@daycare/contracts/access';
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
      const authorise = makeAuthorise([role as Role]);
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

  it('lets an agent add friends through agent-runtime only, which knows its turn', () => {
    const authorise = makeAuthorise(socialGraphAccess.addFriend);
    const agent = { kind: 'user', userId: 'u', agentId: 'a' } as const;
    expect(() => authorise(agent)).toThrow('not allowed');
    expect(() => authorise({ ...agent, via: 'topology' })).toThrow('not allowed');
    const ofSubuser = { ...agent, parentUserId: 'o', via: 'agent-runtime' };
    expect(() => authorise(ofSubuser)).toThrow('not allowed');
    authorise({ ...agent, via: 'agent-runtime' });
    authorise({ kind: 'user', userId: 'u' });
  });

  it('admits no one to a call for which the access table lists no one', () => {
    const authorise = makeAuthorise([]);
    for (const caller of Object.values(callers)) expect(() => authorise(caller)).toThrow();
  });
});
