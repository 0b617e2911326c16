import { createId } from '@daycare/api/create-id';
import type { IdentityServiceService, User } from '@daycare/contracts/identity';
import { notFound } from '@daycare/api';
import type { Caller, Handlers } from '@daycare/rpc';

/** The subusers stored by this identity, by the id of the request that created each. */
export const users = new Map<string, User>();
/** The calls made to identity, except calls to `getUser`. */
export const identityCalls: string[] = [];

const userIdOf = (caller: Caller): string => (caller.kind === 'user' ? caller.userId : '');

export function newUser(parentUserId: string, name: string, description = ''): User {
  const nametag = `coolcat${users.size}`;
  return {
    id: createId(),
    nametag,
    name,
    description,
    timeZone: '',
    parentUserId,
    createdAt: new Date(),
  };
}

/** Handles RPCs about subusers as identity would. */
export const identity: Handlers<typeof IdentityServiceService> = {
  async createSubuser({ requestId, name, description }, { caller }) {
    identityCalls.push('createSubuser');
    const subuser = users.get(requestId) ?? newUser(userIdOf(caller), name.trim(), description);
    users.set(requestId, subuser);
    return { subuser };
  },
  async getUser({ userId }, { caller }) {
    const user = [...users.values()].find(({ id }) => id === userId);
    if (!user || ![user.id, user.parentUserId].includes(userIdOf(caller))) throw notFound('user');
    return { user };
  },
  async renameSubuser({ requestId, subuserId, name }, { caller }) {
    identityCalls.push(`rename ${requestId}`);
    const [key, user] = [...users].find(([, { id }]) => id === subuserId) ?? [];
    if (!key || user?.parentUserId !== userIdOf(caller)) throw notFound('subuser');
    const subuser = { ...user, name };
    users.set(key, subuser);
    return { subuser };
  },
  async deleteSubuser({ requestId, subuserId }, { caller }) {
    identityCalls.push(`delete ${requestId}`);
    const [key, user] = [...users].find(([, { id }]) => id === subuserId) ?? [];
    if (!key || user?.parentUserId !== userIdOf(caller)) throw notFound('subuser');
    users.delete(key);
    return {};
  },
  async listSubusers({ pageSize, pageToken }, { caller }) {
    identityCalls.push('listSubusers');
    const from = Number(pageToken);
    const own = [...users.values()].filter((user) => user.parentUserId === userIdOf(caller));
    const remaining = own.slice(from);
    const nextPageToken = remaining.length > pageSize ? `${from + pageSize}` : '';
    return { subusers: remaining.slice(0, pageSize), nextPageToken, digest: '', unchanged: false };
  },
};
