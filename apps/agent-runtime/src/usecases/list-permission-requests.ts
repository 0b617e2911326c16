import {
  encodePageToken,
  FieldChecks,
  fitPage,
  isTime,
  type PageCursor,
  readPageToken,
} from '@daycare/errors';
import type { PermissionRequest, PermissionState } from '../domain/permission';
import type { PermissionStore } from '../store/permission-store';

export interface ListPermissionRequestsCall {
  readonly userId: string;
  /** Empty for every state. */
  readonly states: readonly PermissionState[];
  /** Empty for every agent. */
  readonly agentId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ListPermissionRequestsDeps {
  readonly permissions: PermissionStore;
  readonly now: () => Date;
}

/** What agents of the caller and of its subusers asked to be allowed, newest first. */
export function makeListPermissionRequests({ permissions, now }: ListPermissionRequestsDeps) {
  return async (
    call: ListPermissionRequestsCall,
  ): Promise<{ requests: readonly PermissionRequest[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(call.pageSize);
    if (call.agentId !== '') checks.id(call.agentId, 'agent_id');
    const after = readPageToken(call.pageToken, checks, readCursor);
    checks.done();
    const { userId: reader, agentId } = call;
    const states = [...new Set(call.states)];
    const wanted = { reader, states, agentId, after, limit: limit + 1 };
    const { page, last } = fitPage(await permissions.list(wanted, now()), limit);
    return {
      requests: page,
      nextPageToken: last ? encodePageToken([last.createdAt.getTime(), last.id]) : '',
    };
  };
}

function readCursor(cursor: PageCursor): { createdAt: Date; id: string } | undefined {
  const [createdMs, id, ...rest] = cursor;
  const isOurs = isTime(createdMs) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { createdAt: new Date(createdMs), id } : undefined;
}
