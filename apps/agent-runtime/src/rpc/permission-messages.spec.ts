import { describe, expect, it } from '@jest/globals';
import { PermissionDecision, PermissionState } from '@daycare/contracts/agent-runtime';
import type { PermissionRequest } from '../domain/permission';
import {
  readDecision,
  readPermissionStates,
  toPermissionEvent,
  toPermissionMessage,
} from './permission-messages';

const at = new Date('2026-01-01T00:00:00Z');
const request: PermissionRequest = {
  id: 'p1',
  userId: 'u1',
  ownerUserId: 'u2',
  agentId: 'a1',
  agentLabel: 'scout',
  contextFrom: 1,
  permission: 'network',
  reason: 'why',
  state: 'granted',
  target: { connector: 'cli', connectorUserId: 'me', channelId: 'c' },
  presentedTo: { agentId: 'a2', userId: 'u2' },
  createdAt: at,
  expiresAt: at,
  decidedAt: at,
  decisionTo: [],
};

describe('permission messages', () => {
  it('show a request without what is only ours to know', () => {
    const { ownerUserId: _o, contextFrom: _c, presentedTo: _p, decisionTo: _d, ...shown } = request;
    const message = { ...shown, state: PermissionState.GRANTED };
    expect(toPermissionMessage(request)).toEqual(message);
    expect(toPermissionEvent({ kind: 'request', request })).toEqual({
      event: { $case: 'permissionRequest', value: message },
    });
    expect(toPermissionEvent({ kind: 'caught_up' })).toEqual({
      event: { $case: 'caughtUp', value: {} },
    });
  });

  it('are read, or refused with the name of the field', () => {
    expect(readDecision(PermissionDecision.GRANT)).toBe('grant');
    expect(readDecision(PermissionDecision.DENY)).toBe('deny');
    for (const wrong of [PermissionDecision.UNSPECIFIED, PermissionDecision.UNRECOGNIZED])
      expect(() => readDecision(wrong)).toThrow('decision must be GRANT or DENY');
    const { PENDING, EXPIRED, UNSPECIFIED } = PermissionState;
    expect(readPermissionStates([PENDING, EXPIRED])).toEqual(['pending', 'expired']);
    expect(() => readPermissionStates([PENDING, UNSPECIFIED])).toThrow(/^states\[1\] is not/);
  });
});
