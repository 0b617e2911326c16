import { createId } from '@paralleldrive/cuid2';
import type { IdentityServiceService, User } from '@daycare/contracts/identity';
import { notFound } from '@daycare/errors';
import type { Caller, Handlers } from '@daycare/rpc';

/** By request id; what identity would know. */
export const users = new Map<string, User>();
/** What identity was asked. */
export const asked: string[] = [];

const userOf = (caller: Caller): string => (caller.kind === 'user' ? caller.userId : '');

export function newUser(parentUserId: string, name: string, description = ''): User {
  const nametag = `coolcat${users.size}`;
  return { id: createId(), nametag, name, description, parentUserId, createdAt: new Date() };
}

/** Answers as identity would, for subusers. */
export const identity: Handlers<typeof IdentityServiceService> = {
  async createSubuser({ requestId, name, description }, { caller }) {
    asked.push('createSubuser');
    const subuser = users.get(requestId) ?? newUser(userOf(caller), name.trim(), description);
    users.set(requestId, subuser);
    return { subuser };
  },
  async getUser({ userId }, { caller }) {
    const user = [...users.values()].find(({ id }) => id === userId);
    if (!user || ![user.id, user.parentUserId].includes(userOf(caller))) throw notFound('User');
    return { user };
  },
  async renameSubuser({ requestId, subuserId, name }, { caller }) {
    asked.push(`rename ${requestId}`);
    const [key, user] = [...users].find(([, { id }]) => id === subuserId) ?? [];
    if (!key || user?.parentUserId !== userOf(caller)) throw notFound('Subuser');
    const subuser = { ...user, name };
    users.set(key, subuser);
    return { subuser };
  },
  async deleteSubuser({ requestId, subuserId }, { caller }) {
    asked.push(`delete ${requestId}`);
    const [key, user] = [...users].find(([, { id }]) => id === subuserId) ?? [];
    if (!key || user?.parentUserId !== userOf(caller)) throw notFound('Subuser');
    users.delete(key);
    return {};
  },
  async listSubusers({ pageSize, pageToken }, { caller }) {
    asked.push('listSubusers');
    const from = Number(pageToken);
    const own = [...users.values()].filter((user) => user.parentUserId === userOf(caller));
    const rest = own.slice(from);
    const nextPageToken = rest.length > pageSize ? `${from + pageSize}` : '';
    return { subusers: rest.slice(0, pageSize), nextPageToken };
  },
};
