import { FieldChecks } from '@daycare/errors';
import { decodePageToken, encodePageToken } from '../domain/page-token';
import type { User } from '../domain/user';
import type { UserStore } from '../store/user-store';

export interface ListSubusersCommand {
  readonly ownerId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface SubuserPage {
  readonly subusers: User[];
  readonly nextPageToken: string;
}

/** Lists the owner's subusers, oldest first. */
export function makeListSubusers({ users }: { readonly users: UserStore }) {
  return async ({ ownerId, pageSize, pageToken }: ListSubusersCommand): Promise<SubuserPage> => {
    const checks = new FieldChecks();
    const size = checks.pageSize(pageSize);
    checks.done();
    // One more than asked for tells whether there is a next page.
    const found = await users.listSubusers(ownerId, decodePageToken(pageToken), size + 1);
    const subusers = found.slice(0, size);
    const last = subusers.at(-1);
    return { subusers, nextPageToken: last && found.length > size ? encodePageToken(last) : '' };
  };
}
