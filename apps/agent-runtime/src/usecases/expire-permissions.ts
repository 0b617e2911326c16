import type { PermissionRequest } from '../domain/permission';
import type { PermissionStore } from '../store/permission-store';

export interface ExpireDeps {
  readonly permissions: PermissionStore;
  /** Has those who may see a request look at it. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly now: () => Date;
}

const expiredAtOnce = 200;

/**
 * Writes down which requests nobody decided in time, so that those who watch hear of it; nothing is
 * delivered to anyone. To be run every few seconds by every replica; returns how many there were.
 */
export function makeExpirePermissions({ permissions, hintReaders, now }: ExpireDeps) {
  return async (): Promise<number> => {
    const expired = await permissions.expireBefore(now(), expiredAtOnce);
    expired.forEach(hintReaders);
    return expired.length;
  };
}
