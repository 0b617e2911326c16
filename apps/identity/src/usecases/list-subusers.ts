import { FieldChecks, pageTokenAfter, readTimePage } from '@daycare/api';
import type { User } from '../domain/user';
import type { UserStore } from '../store/user-store';

export interface ListSubusersCommand {
  readonly ownerId: string;
  readonly pageSize: number;
  readonly pageToken: string;
  /** The digest of the response that the caller has cached; undefined when it does not cache responses. */
  readonly knownDigest?: string | undefined;
}

export interface SubuserPage {
  readonly subusers: User[];
  readonly nextPageToken: string;
  /** Changes whenever the owner's subusers change; empty unless the caller caches responses. */
  readonly digest: string;
  /** Whether the response that the caller has cached is still current; then `subusers` is empty. */
  readonly unchanged: boolean;
}

/** Lists the owner's subusers, oldest first. */
export function makeListSubusers({ users }: { readonly users: UserStore }) {
  return async (command: ListSubusersCommand): Promise<SubuserPage> => {
    const { ownerId, knownDigest } = command;
    const checks = new FieldChecks();
    const { limit: size, after } = readTimePage(command, checks);
    checks.done();
    // Computed before the list is read, so that a change in between is in the list and also changes the next digest.
    const digest = knownDigest === undefined ? '' : await users.digestSubusers(ownerId);
    const unchanged = knownDigest !== undefined && digest === knownDigest;
    if (unchanged) return { subusers: [], nextPageToken: '', digest, unchanged };
    // One more than requested shows whether there is a next page.
    const found = await users.listSubusers(ownerId, after, size + 1);
    const subusers = found.slice(0, size);
    const last = found.length > size ? subusers.at(-1) : undefined;
    return { subusers, nextPageToken: pageTokenAfter(last), digest, unchanged };
  };
}
