import type { Agent } from '../../agents';
import type { PermissionRequest } from '../domain/permission';
import type { PermissionStore } from '../store/permission-store';

export interface ExpireTurnRequestsDeps {
  readonly permissions: Pick<PermissionStore, 'expire' | 'listByTurn'>;
  /** Sends hints to the request's watchers: users who may see it, and the client of the connector that shows it. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly now: () => Date;
}

/**
 * Expires the pending requests from a turn that was stopped, so that a later decision returns `expired` and nothing
 * runs. May be repeated.
 */
export type ExpireTurnRequests = (agent: Pick<Agent, 'id'>, turn: number) => Promise<void>;

export function makeExpireTurnRequests({
  permissions,
  hintReaders,
  now,
}: ExpireTurnRequestsDeps): ExpireTurnRequests {
  return async ({ id }, turn) => {
    for (const request of await permissions.listByTurn(id, turn)) {
      const expired = await permissions.expire(request, now());
      if (expired) hintReaders(expired);
    }
  };
}
