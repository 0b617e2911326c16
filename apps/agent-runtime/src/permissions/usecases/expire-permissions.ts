import type { PermissionRequest } from '../domain/permission';
import type { PermissionStore } from '../store/permission-store';

export interface ExpireDeps {
  readonly permissions: PermissionStore;
  /** Notifies the watchers of everyone who may see the request. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly now: () => Date;
}

const expiryBatch = 200;

/**
 * Stores the expiry of overdue requests, so that watchers see it; no agent is notified. Run every
 * few seconds by every replica; returns how many expired.
 */
export function makeExpirePermissions({ permissions, hintReaders, now }: ExpireDeps) {
  return async (): Promise<number> => {
    const expired = await permissions.expireBefore(now(), expiryBatch);
    expired.forEach(hintReaders);
    return expired.length;
  };
}
