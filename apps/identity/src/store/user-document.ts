import type { CollectionIndexes } from '@daycare/mongo';
import type { RequestKey } from '../domain/request-key';
import type { SubusersMade } from '../domain/subuser-limits';
import { clientOf, type User } from '../domain/user';

export interface UserDocument {
  readonly _id: string;
  readonly nametag: string;
  readonly name: string;
  /** Moves to `deletedParentId` on deletion. */
  readonly parentUserId?: string;
  readonly description?: string;
  readonly timeZone?: string;
  readonly createdAt: Date;
  /** Who created the user: `admin`, `client:<name>`, `oidc:<provider>` or, for a subuser, `user:<id of its owner>`. */
  readonly createdBy: string;
  /**
   * Removed on deletion. The request can then create a user again if its document in `user_requests` was removed, too.
   */
  readonly request?: RequestKey;
  readonly subusersMade?: SubusersMade;
  /** The latest requests that renamed this subuser. */
  readonly renamedBy?: string[];
  /** The latest requests that changed the user's settings. */
  readonly updatedBy?: string[];
  readonly deletedAt?: Date;
  readonly deletedByRequest?: string;
  readonly deletedParentId?: string;
}

export const userCollection = 'users';

export const userIndexes: CollectionIndexes = {
  collection: userCollection,
  shardKey: { _id: 'hashed' },
  indexes: [
    {
      name: 'subusers',
      key: { parentUserId: 1, createdAt: 1, _id: 1 },
      partialFilterExpression: { parentUserId: { $exists: true } },
    },
  ],
};

/** The fields that are read to build a user; the lists of the latest requests are left out. */
export const userFields = {
  nametag: 1,
  name: 1,
  parentUserId: 1,
  description: 1,
  timeZone: 1,
  createdAt: 1,
  createdBy: 1,
  'request.scope': 1,
  'request.id': 1,
  deletedAt: 1,
} as const;

export function toDocument({ id: _id, nametag, name, parentUserId, description, createdAt }: User) {
  const subuser = parentUserId === undefined ? {} : { parentUserId, description };
  return { _id, nametag, name, ...subuser, createdAt };
}

export function toUser({
  _id: id,
  nametag,
  name,
  parentUserId,
  description = '',
  timeZone = '',
  createdAt,
  createdBy,
  request,
}: UserDocument): User {
  const client = clientOf(createdBy, request);
  const user = { id, nametag, name, parentUserId, description, timeZone, createdAt };
  return client === undefined ? user : { ...user, client };
}

/** Returns undefined for a deleted user. */
export function toLivingUser(document: UserDocument | undefined): User | undefined {
  return document && !document.deletedAt ? toUser(document) : undefined;
}
