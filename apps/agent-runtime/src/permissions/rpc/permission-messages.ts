import { Trust } from '@daycare/contracts/common';
import {
  PermissionDecision,
  PermissionState,
  TurnSource,
  type Grant as GrantMessage,
  type PermissionRequest as RequestMessage,
  type TurnStarter,
  type WatchPermissionRequestsResponse,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import { requireWord } from '@daycare/rpc';
import { knowsPrivateData } from '../../agents';
import type { Grant } from '../domain/grant';
import type {
  RequestingTurn,
  PermissionDecision as DomainDecision,
  PermissionRequest,
  PermissionState as DomainState,
} from '../domain/permission';
import type { PermissionEvent } from '../usecases/watch-permission-requests';

export function toPermissionMessage(request: PermissionRequest): RequestMessage {
  const { id, userId, agentId, agentLabel, permission, reason, target } = request;
  const { createdAt, expiresAt, decidedAt, call, askedIn } = request;
  const state = enumOf(PermissionState, request.state);
  const facts = { id, userId, agentId, agentLabel, permission, reason, state };
  const startedBy = askedIn && toStarterMessage(askedIn);
  return { ...facts, target, createdAt, expiresAt, decidedAt, call, startedBy };
}

function toStarterMessage(askedIn: RequestingTurn): TurnStarter {
  const { trust, startedBy } = askedIn;
  return {
    trust: enumOf(Trust, trust),
    source: enumOf(TurnSource, startedBy.source),
    origin: startedBy.origin,
    nametag: startedBy.nametag ?? '',
    hasReadPrivate: knowsPrivateData(askedIn),
  };
}

export function toGrantMessage(grant: Grant): GrantMessage {
  const { id, userId, agentId, agentLabel, subject, scope, createdAt, expiresAt } = grant;
  return {
    id,
    userId,
    agentId,
    agentLabel,
    subject:
      subject.kind === 'tool'
        ? { $case: 'toolName', value: subject.toolName }
        : { $case: 'permission', value: subject.permission },
    trust: enumOf(Trust, scope.trust),
    coversPrivate: scope.readPrivate,
    createdAt,
    expiresAt,
  };
}

export function toPermissionEvent(event: PermissionEvent): WatchPermissionRequestsResponse {
  if (event.kind === 'caught_up') return { event: { $case: 'caughtUp', value: {} } };
  const value = toPermissionMessage(event.request);
  return { event: { $case: 'permissionRequest', value } };
}

export function readPermissionStates(wanted: readonly PermissionState[]): DomainState[] {
  return wanted.map((state, index) => requireWord(PermissionState, state, `states[${index}]`));
}

export function readDecision(decision: PermissionDecision): DomainDecision {
  return requireWord(PermissionDecision, decision, 'decision');
}
