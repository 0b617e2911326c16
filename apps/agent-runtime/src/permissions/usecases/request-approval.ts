import { AppError, messageIdOf } from '@daycare/api';
import type { Agent } from '../../agents';
import { canonicalJson } from '../../shared/text/canonical-json';
import { covers } from '../domain/grant';
import { toolPermission, type RequestingTurn, type PermissionRequest } from '../domain/permission';
import type { GrantStore } from '../store/grant-store';
import { submitRequest, type SubmitDeps } from './submit-request';

/** A call that a person has to approve before it runs. */
export interface RequestApprovalCall extends Omit<RequestingTurn, 'turn'> {
  readonly agent: Agent;
  readonly requestId: string;
  readonly toolName: string;
  readonly argumentsJson: string;
  /** The turn in which the call is made; absent when a client makes it. */
  readonly turn?: number | undefined;
}

export type RequestApprovalAnswer =
  | { readonly kind: 'granted' }
  | {
      readonly kind: 'waiting';
      readonly permissionRequestId: string;
      readonly expiresAt: Date;
    };

export interface RequestApprovalDeps extends SubmitDeps {
  readonly grants: Pick<GrantStore, 'listForSubject'>;
}

/** Arguments beyond this are too long for a person to review. */
const maxArgumentCharacters = 65_536;

/**
 * Submits a call to the deciding user for approval, unless a grant covers it. A retry of a submitted call is answered
 * with `waiting` again, even if an "always" grant has been given in the meantime: the decision makes the call run, so
 * it must not also run directly. Throws REQUEST_ID_REUSED if the request id was used to submit another call.
 */
export function makeRequestApproval(deps: RequestApprovalDeps) {
  return async (asked: RequestApprovalCall): Promise<RequestApprovalAnswer> => {
    const { agent, requestId, toolName } = asked;
    const call = { toolName, argumentsJson: canonicalArguments(asked.argumentsJson) };
    const id = messageIdOf('approval', agent.id, requestId);
    const existing = await deps.permissions.find(agent.userId, id, deps.now());
    if (existing) return waitingAnswer(requireSameCall(existing, call));
    if (await isGranted(deps, asked)) return { kind: 'granted' };
    const { trust, readPrivate, foreignWriter, hasReadForeign, isShared } = asked;
    const { startedBy, hops, turn } = asked;
    const labels = { trust, readPrivate, foreignWriter, hasReadForeign, isShared };
    const request = await submitRequest(deps, {
      id,
      agent,
      permission: toolPermission(toolName),
      reason: '',
      call,
      askedIn: { ...labels, startedBy, hops, turn },
    });
    return waitingAnswer(request);
  };
}

async function isGranted(
  { grants, now }: RequestApprovalDeps,
  { agent, toolName, ...turn }: RequestApprovalCall,
): Promise<boolean> {
  const found = await grants.listForSubject(agent, { kind: 'tool', toolName }, now());
  return found.some((grant) => covers(grant, turn, now()));
}

/** Returns the arguments in canonical form, so that what is shown is unambiguous. */
function canonicalArguments(argumentsJson: string): string {
  const text = canonicalJson(JSON.parse(argumentsJson.trim() === '' ? '{}' : argumentsJson));
  if (text.length > maxArgumentCharacters)
    throw new AppError(
      'INVALID_ARGUMENT',
      "This call needs a person's approval, but its arguments are too long to review; use at most 65,536 characters",
    );
  return text;
}

function requireSameCall(
  request: PermissionRequest,
  call: NonNullable<PermissionRequest['call']>,
): PermissionRequest {
  const { toolName, argumentsJson } = request.call ?? {};
  if (toolName === call.toolName && argumentsJson === call.argumentsJson) return request;
  throw new AppError('REQUEST_ID_REUSED', 'The request id was already used for a different call');
}

function waitingAnswer({ id, expiresAt }: PermissionRequest): RequestApprovalAnswer {
  return { kind: 'waiting', permissionRequestId: id, expiresAt };
}
