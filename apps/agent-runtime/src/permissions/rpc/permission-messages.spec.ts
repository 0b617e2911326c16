import { describe, expect, it } from '@jest/globals';
import { Trust } from '@daycare/contracts/common';
import { PermissionDecision, PermissionState, TurnSource } from '@daycare/contracts/agent-runtime';
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
  call: { toolName: 'file_write', argumentsJson: '{"path":"home/a"}' },
  askedIn: {
    trust: 'guest',
    readPrivate: true,
    startedBy: {
      source: 'friend',
      origin: 'friend:otter7',
      senderUserId: 'u3',
      nametag: 'otter7',
      byPerson: false,
    },
    hops: 2,
    turn: 7,
  },
  state: 'granted',
  target: { connector: 'cli', connectorUserId: 'me', channelId: 'c' },
  presentedTo: { agentId: 'a2', userId: 'u2' },
  createdAt: at,
  expiresAt: at,
  decidedAt: at,
  decision: 'grant',
  grantUntil: undefined,
  decisionTo: [],
};

describe('the wire format of permissions', () => {
  it('permission messages omit internal fields', () => {
    const { ownerUserId: _o, contextFrom: _c, presentedTo: _p, decisionTo: _d, ...rest } = request;
    const { askedIn: _a, decision: _e, grantUntil: _g, ...shown } = rest;
    const startedBy = {
      trust: Trust.GUEST,
      source: TurnSource.FRIEND,
      origin: 'friend:otter7',
      nametag: 'otter7',
      hasReadPrivate: true,
    };
    const message = { ...shown, state: PermissionState.GRANTED, startedBy };
    expect(toPermissionMessage(request)).toEqual(message);
    expect(toPermissionEvent({ kind: 'request', request })).toEqual({
      event: { $case: 'permissionRequest', value: message },
    });
    expect(toPermissionEvent({ kind: 'caught_up' })).toEqual({
      event: { $case: 'caughtUp', value: {} },
    });
  });

  it('permission enums are decoded, and unknown values are refused with the field’s name', () => {
    expect(readDecision(PermissionDecision.GRANT)).toBe('grant');
    expect(readDecision(PermissionDecision.ALWAYS)).toBe('always');
    expect(readDecision(PermissionDecision.DENY)).toBe('deny');
    for (const wrong of [PermissionDecision.UNSPECIFIED, PermissionDecision.UNRECOGNIZED])
      expect(() => readDecision(wrong)).toThrow('The decision must be one of grant, deny, always');
    const { PENDING, EXPIRED, UNSPECIFIED } = PermissionState;
    expect(readPermissionStates([PENDING, EXPIRED])).toEqual(['pending', 'expired']);
    expect(() => readPermissionStates([PENDING, UNSPECIFIED])).toThrow(/^The states\[1\] must be/);
  });
});
