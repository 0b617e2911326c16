import { describe, expect, it } from '@jest/globals';
import { FieldChecks } from '@daycare/api';
import {
  checkPermission,
  decide,
  deciderOf,
  permissionStates,
  readersOf,
  stateAt,
  type PermissionDecision,
  type PermissionState,
  type DecisionEffect,
} from './permission';
import { decidedNotice, presentedNotice } from './permission-wording';

const now = new Date('2026-01-01T00:00:00Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);
const request = (state: PermissionState, expiresAt = later(1)) => ({ state, expiresAt });

const granted: DecisionEffect = { kind: 'becomes', state: 'granted' };
const denied: DecisionEffect = { kind: 'becomes', state: 'denied' };
const stands: DecisionEffect = { kind: 'stands' };

describe('decisions', () => {
  const cells: [PermissionState, PermissionDecision, DecisionEffect][] = [
    ['pending', 'grant', granted],
    ['pending', 'always', granted],
    ['pending', 'deny', denied],
    ['granted', 'grant', stands],
    ['granted', 'always', stands],
    ['granted', 'deny', stands],
    ['denied', 'grant', stands],
    ['denied', 'always', stands],
    ['denied', 'deny', stands],
    ['expired', 'grant', stands],
    ['expired', 'always', stands],
    ['expired', 'deny', stands],
  ];

  it.each(cells)(
    'deciding a request in the state "%s" with "%s" has the effect %j',
    (state, decision, effect) => {
      expect(decide(request(state), decision, true, now)).toEqual(effect);
    },
  );

  it('a decision makes a pending request expire if the agent was reset after asking', () => {
    for (const decision of ['grant', 'always', 'deny'] as const) {
      expect(decide(request('pending'), decision, false, now)).toEqual({ kind: 'expires' });
      expect(decide(request('granted'), decision, false, now)).toEqual(stands);
    }
  });

  it('a decision has no effect from the request’s deadline on', () => {
    expect(decide(request('pending', now), 'grant', true, now)).toEqual(stands);
    expect(decide(request('pending', later(1)), 'grant', true, now)).toEqual(granted);
  });
});

describe('permission state', () => {
  it('only a pending request changes state as time passes', () => {
    expect(permissionStates.map((state) => stateAt(request(state, now), now))).toEqual([
      'expired',
      'granted',
      'denied',
      'expired',
    ]);
    expect(stateAt(request('pending', later(1)), now)).toBe('pending');
  });
});

describe('permission readers', () => {
  it('an owner decides requests from a subuser’s agent, and both users can read them', () => {
    const ofSubuser = { userId: 'sub', ownerUserId: 'owner' };
    expect(deciderOf(ofSubuser)).toBe('owner');
    expect(readersOf(ofSubuser)).toEqual(['sub', 'owner']);
  });

  it('without an owner, only the agent’s user can read and decide its requests', () => {
    const own = { userId: 'u', ownerUserId: undefined };
    expect(deciderOf(own)).toBe('u');
    expect(readersOf(own)).toEqual(['u']);
  });
});

describe('permission names', () => {
  const check = (permission: string, reason = 'because') => {
    const checks = new FieldChecks();
    checkPermission({ permission, reason }, checks);
    checks.done();
  };

  it.each(['network', 'n', 'file:/etc/hosts', 'a_b-c.d', `a${'b'.repeat(99)}`])(
    'accepts the permission name %s',
    (permission) => {
      expect(() => check(permission)).not.toThrow();
    },
  );

  it.each(['', 'Network', '1a', ':a', 'a b', 'a\n', `a${'b'.repeat(100)}`])(
    'rejects the permission name %j',
    (permission) => {
      expect(() => check(permission)).toThrow(/^The permission must be/);
    },
  );

  it('rejects a permission name that starts with "tool:", because people approve a tool’s calls instead', () => {
    expect(() => check('tool:exec')).toThrow(/must not start with "tool:"/);
  });

  it.each([
    ['is empty', ''],
    ['is blank', '  '],
    ['is longer than 1,000 characters', 'x'.repeat(1_001)],
    ['contains a control character', 'a\u0000'],
  ])('rejects a reason that %s', (_, reason) => {
    expect(() => check('network', reason)).toThrow(/^The reason must/);
  });
});

describe('wording of notices', () => {
  it('permission notices name the asking agent, the permission and the decision', () => {
    const asked = { agentLabel: 'scout', agentId: 'a1', permission: 'network' };
    expect(presentedNotice({ ...asked, state: 'pending' })).toContain('"scout" (a1)');
    expect(decidedNotice({ ...asked, state: 'denied' })).toMatch(/denied the permission network/);
  });
});
