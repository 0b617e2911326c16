import { describe, expect, it } from '@jest/globals';
import { FieldChecks } from '@daycare/errors';
import {
  checkPermission,
  decide,
  deciderOf,
  permissionStates,
  readersOf,
  stateAt,
  type PermissionDecision,
  type PermissionState,
  type Verdict,
} from './permission';
import { decidedNotice, presentedNotice } from './permission-wording';

const now = new Date('2026-01-01T00:00:00Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);
const request = (state: PermissionState, expiresAt = later(1)) => ({ state, expiresAt });

const granted: Verdict = { kind: 'becomes', state: 'granted' };
const denied: Verdict = { kind: 'becomes', state: 'denied' };
const stands: Verdict = { kind: 'stands' };

describe('a decision', () => {
  const cells: [PermissionState, PermissionDecision, Verdict][] = [
    ['pending', 'grant', granted],
    ['pending', 'deny', denied],
    ['granted', 'grant', stands],
    ['granted', 'deny', stands],
    ['denied', 'grant', stands],
    ['denied', 'deny', stands],
    ['expired', 'grant', stands],
    ['expired', 'deny', stands],
  ];

  it.each(cells)('on a %s request to %s it', (state, decision, verdict) => {
    expect(decide(request(state), decision, true, now)).toEqual(verdict);
  });

  it('is of no use to an agent that has forgotten that it asked', () => {
    for (const decision of ['grant', 'deny'] as const) {
      expect(decide(request('pending'), decision, false, now)).toEqual({ kind: 'lapses' });
      expect(decide(request('granted'), decision, false, now)).toEqual(stands);
    }
  });

  it('comes too late from the moment of expiry on', () => {
    expect(decide(request('pending', now), 'grant', true, now)).toEqual(stands);
    expect(decide(request('pending', later(1)), 'grant', true, now)).toEqual(granted);
  });
});

describe('the state of a request', () => {
  it('changes by time only while it is pending', () => {
    expect(permissionStates.map((state) => stateAt(request(state, now), now))).toEqual([
      'expired',
      'granted',
      'denied',
      'expired',
    ]);
    expect(stateAt(request('pending', later(1)), now)).toBe('pending');
  });
});

describe('a request of a subuser’s agent', () => {
  it('is decided by the owner and seen by both', () => {
    const ofSubuser = { userId: 'sub', ownerUserId: 'owner' };
    expect(deciderOf(ofSubuser)).toBe('owner');
    expect(readersOf(ofSubuser)).toEqual(['sub', 'owner']);
  });

  it('is otherwise the user’s own', () => {
    const own = { userId: 'u', ownerUserId: undefined };
    expect(deciderOf(own)).toBe('u');
    expect(readersOf(own)).toEqual(['u']);
  });
});

describe('what is asked for', () => {
  const check = (permission: string, reason = 'because') => {
    const checks = new FieldChecks();
    checkPermission({ permission, reason }, checks);
    checks.done();
  };

  it.each(['network', 'n', 'file:/etc/hosts', 'a_b-c.d', `a${'b'.repeat(99)}`])(
    'may be %s',
    (permission) => {
      expect(() => check(permission)).not.toThrow();
    },
  );

  it.each(['', 'Network', '1a', ':a', 'a b', 'a\n', `a${'b'.repeat(100)}`])(
    'may not be %j',
    (permission) => {
      expect(() => check(permission)).toThrow(/^permission must be/);
    },
  );

  it.each(['', '  ', 'x'.repeat(1_001), 'a\u0000'])('needs a reason other than %j', (reason) => {
    expect(() => check('network', reason)).toThrow(/^reason must/);
  });
});

describe('notices about a request', () => {
  it('say who asked for what and how it was decided', () => {
    const asked = { agentLabel: 'scout', agentId: 'a1', permission: 'network' };
    expect(presentedNotice({ ...asked, state: 'pending' })).toContain('"scout" (a1)');
    expect(decidedNotice({ ...asked, state: 'denied' })).toMatch(/denied the permission network/);
  });
});
