import type { PermissionRequest } from '../domain/permission';
import type { PermissionStore } from '../store/permission-store';

export interface ExpireDeps {
  readonly permissions: PermissionStore;
  /** Sends hints to the request's watchers: users who may see it, and the client of the connector that shows it. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly now: () => Date;
}

const expiryBatch = 200;

/**
 * Stores the expiry of overdue requests, so that watchers see it; no agent is notified. Run by every replica. Returns
 * the milliseconds until the next request expires: 0 when more may be overdue, undefined when none are pending.
 */
export function makeExpirePermissions({ permissions, hintReaders, now }: ExpireDeps) {
  return async (): Promise<number | undefined> => {
    const next = await permissions.nextExpiry();
    if (!next || next > now()) return next && next.getTime() - now().getTime();
    const expired = await permissions.expireBefore(now(), expiryBatch);
    expired.forEach(hintReaders);
    return 0;
  };
}
