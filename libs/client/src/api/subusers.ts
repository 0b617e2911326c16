import type { User } from '@daycare/contracts/identity';
import { DaycareError } from '../transport/daycare-error';
import { newRequestId } from '../calls/request-id';
import type { Rpcs } from '../calls/rpc';
import type { CallOptions } from '../transport/transport';
import type { ChangeOptions } from './friends';
import { readPages } from './pages';

/** The caller's subusers. */
export interface Subusers {
  list(options?: CallOptions): AsyncIterable<User>;
  create(subuser: { name: string; description?: string }, options?: ChangeOptions): Promise<User>;
  rename(subuserId: string, name: string, options?: ChangeOptions): Promise<User>;
  delete(subuserId: string, options?: ChangeOptions): Promise<void>;
  /** Offers a subuser to a friend, who accepts it with `friends.add`. */
  share(subuserId: string, friendNametag: string, options?: ChangeOptions): Promise<void>;
  unshare(subuserId: string, friendNametag: string, options?: ChangeOptions): Promise<void>;
}

export function makeSubusers({ identity, socialGraph }: Rpcs): Subusers {
  const requestIdOf = ({ requestId = newRequestId() }: ChangeOptions = {}): string => requestId;
  return {
    list: (options) =>
      readPages(async (page) => {
        const { subusers, nextPageToken } = await identity.listSubusers(page, options);
        return { items: subusers, nextPageToken };
      }),
    async create({ name, description = '' }, options) {
      const request = { requestId: requestIdOf(options), name, description };
      return requireUser((await identity.createSubuser(request, options)).subuser);
    },
    async rename(subuserId, name, options) {
      const request = { requestId: requestIdOf(options), subuserId, name };
      return requireUser((await identity.renameSubuser(request, options)).subuser);
    },
    async delete(subuserId, options) {
      await identity.deleteSubuser({ requestId: requestIdOf(options), subuserId }, options);
    },
    async share(subuserId, friendNametag, options) {
      const request = { requestId: requestIdOf(options), friendNametag, subuserId };
      await socialGraph.shareSubuser(request, options);
    },
    async unshare(subuserId, friendNametag, options) {
      const request = { requestId: requestIdOf(options), friendNametag, subuserId };
      await socialGraph.unshareSubuser(request, options);
    },
  };
}

function requireUser(user: User | undefined): User {
  if (user) return user;
  throw new DaycareError({ code: 'INTERNAL', message: 'The response has no user', details: {} });
}
