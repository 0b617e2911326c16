import { encodePageToken, FieldChecks, readPageToken, type PageCursor } from '@daycare/api';
import type { User } from '../domain/user';
import type { UserStore } from '../store/user-store';

export interface ListUsersCommand {
  readonly nametagPrefix: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface UserPage {
  readonly users: User[];
  readonly nextPageToken: string;
}

const prefixLimits = { min: 0, max: 64 };

/**
 * Lists users and subusers in nametag order, for operators. A page may have fewer users than requested, because the
 * nametags of deleted users count towards its size.
 */
export function makeListUsers({ users }: { readonly users: UserStore }) {
  return async ({ nametagPrefix, pageSize, pageToken }: ListUsersCommand): Promise<UserPage> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, readNametag);
    const prefix = nametagPrefix.trim().toLowerCase();
    checks.line(prefix, 'nametag_prefix', prefixLimits).done();
    const { users: found, last } = await users.listByNametag({ prefix, after, limit });
    return { users: found, nextPageToken: last === undefined ? '' : encodePageToken([last]) };
  };
}

function readNametag([nametag, ...rest]: PageCursor): string | undefined {
  return typeof nametag === 'string' && rest.length === 0 ? nametag : undefined;
}
