import { FieldChecks, fitPage, pageTokenAfter, readTimePage } from '@daycare/api';
import type { PermissionRequest, PermissionState } from '../domain/permission';
import type { PermissionStore } from '../store/permission-store';

export interface ListPermissionRequestsCall {
  readonly userId: string;
  /** Empty for all states. */
  readonly states: readonly PermissionState[];
  /** Empty for all agents. */
  readonly agentId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ListPermissionRequestsDeps {
  readonly permissions: PermissionStore;
  readonly now: () => Date;
}

/** Lists the permission requests made by the agents of the caller and the caller's subusers, newest first. */
export function makeListPermissionRequests({ permissions, now }: ListPermissionRequestsDeps) {
  return async (
    call: ListPermissionRequestsCall,
  ): Promise<{ requests: readonly PermissionRequest[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const { limit, after } = readTimePage(call, checks);
    if (call.agentId !== '') checks.id(call.agentId, 'agent_id');
    checks.done();
    const { userId: reader, agentId } = call;
    const states = [...new Set(call.states)];
    const wanted = { reader, states, agentId, after, limit: limit + 1 };
    const { page, last } = fitPage(await permissions.list(wanted, now()), limit);
    return { requests: page, nextPageToken: pageTokenAfter(last) };
  };
}
