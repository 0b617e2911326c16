import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { Permissions } from '../build';
import {
  readDecision,
  readPermissionStates,
  toGrantMessage,
  toPermissionEvent,
  toPermissionMessage,
} from './permission-messages';

export type PermissionUsecases = Pick<
  Permissions,
  | 'decidePermission'
  | 'listGrants'
  | 'listPermissionRequests'
  | 'revokeGrant'
  | 'watchPermissionRequests'
>;

/** The RPCs with which people decide permission requests and manage grants. */
export function permissionHandlers(
  usecases: PermissionUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    listPermissionRequests: async (request, { caller }) => {
      const { userId } = requireUser(caller);
      const call = { ...request, userId, states: readPermissionStates(request.states) };
      const { requests, nextPageToken } = await usecases.listPermissionRequests(call);
      return { permissionRequests: requests.map(toPermissionMessage), nextPageToken };
    },
    async *watchPermissionRequests(_request, { caller, signal, recheck }) {
      const call = { userId: requireUser(caller).userId, signal, recheck };
      for await (const event of usecases.watchPermissionRequests(call))
        yield toPermissionEvent(event);
    },
    decidePermission: async (request, { caller }) => {
      const decision = readDecision(request.decision);
      const { userId } = requireUser(caller);
      const call = { ...request, userId, decision, grantUntil: request.grantExpiresAt };
      return { permissionRequest: toPermissionMessage(await usecases.decidePermission(call)) };
    },
    listGrants: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      const { grants, nextPageToken } = await usecases.listGrants(call);
      return { grants: grants.map(toGrantMessage), nextPageToken };
    },
    revokeGrant: async (request, { caller }) => {
      await usecases.revokeGrant({ ...request, userId: requireUser(caller).userId });
      return {};
    },
  };
}
