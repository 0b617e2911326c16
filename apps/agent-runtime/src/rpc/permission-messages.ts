import {
  PermissionDecision,
  PermissionState,
  type PermissionRequest as RequestMessage,
  type WatchPermissionRequestsResponse,
} from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/errors';
import type {
  PermissionDecision as DomainDecision,
  PermissionRequest,
  PermissionState as DomainState,
} from '../domain/permission';
import type { PermissionEvent } from '../usecases/watch-permission-requests';

const states: Record<DomainState, PermissionState> = {
  pending: PermissionState.PENDING,
  granted: PermissionState.GRANTED,
  denied: PermissionState.DENIED,
  expired: PermissionState.EXPIRED,
};

const decisions: Partial<Record<PermissionDecision, DomainDecision>> = {
  [PermissionDecision.GRANT]: 'grant',
  [PermissionDecision.DENY]: 'deny',
};

export function toPermissionMessage(request: PermissionRequest): RequestMessage {
  const { id, userId, agentId, agentLabel, permission, reason, state, target } = request;
  const { createdAt, expiresAt, decidedAt } = request;
  const facts = { id, userId, agentId, agentLabel, permission, reason, state: states[state] };
  return { ...facts, target, createdAt, expiresAt, decidedAt };
}

export function toPermissionEvent(event: PermissionEvent): WatchPermissionRequestsResponse {
  if (event.kind === 'caught_up') return { event: { $case: 'caughtUp', value: {} } };
  const value = toPermissionMessage(event.request);
  return { event: { $case: 'permissionRequest', value } };
}

export function readPermissionStates(wanted: readonly PermissionState[]): DomainState[] {
  return wanted.map((one, index) => {
    const found = Object.entries(states).find(([, state]) => state === one);
    if (found) return found[0] as DomainState;
    throw refused(`states[${index}]`, 'is not a state of a permission request');
  });
}

export function readDecision(decision: PermissionDecision): DomainDecision {
  const read = decisions[decision];
  if (read) return read;
  throw refused('decision', 'must be GRANT or DENY');
}

function refused(field: string, description: string): AppError {
  const fields = [{ field, description }];
  return new AppError('INVALID_ARGUMENT', `${field} ${description}`, { fields });
}
