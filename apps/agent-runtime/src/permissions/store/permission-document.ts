import type { Document, Filter, Timestamp } from 'mongodb';
import type { PendingSlots } from '../domain/pending-slots';
import {
  deciderOf,
  readersOf,
  stateAt,
  type PermissionRequest,
  type PermissionState,
} from '../domain/permission';

/** A request, and since when consequences of its last change are outstanding. */
export interface StoredPermission extends PermissionRequest {
  /** When consequences became due; undefined when none are outstanding. */
  readonly owedSince?: Date;
}

export interface PermissionDocument extends Omit<StoredPermission, 'id'>, PendingSlots {
  readonly _id: string;
  /** The user who decides; a pending request occupies one of this user's slots. */
  readonly decider: string;
  /** The users who may see the request. */
  readonly readers: readonly string[];
  /** The time of the request's last change, by MongoDB's logical clock. */
  readonly order: Timestamp;
  readonly forgetAt: Date;
}

export const permissionCollection = 'permissions';

const dayMs = 24 * 60 * 60 * 1000;
/**
 * How long requests are remembered after their deadline. Requests to approve calls are deleted sooner, because they can
 * be long and are useless once their calls can no longer run.
 */
const rememberedMs = { call: 7 * dayMs, permission: 90 * dayMs };

/** Stamps a change with the database's time, so that no local clock determines the order of changes. */
export const changeStamp = { order: '$$CLUSTER_TIME' };

/** The update that expires a request; an expiry has no consequences. */
export const expiry: Document[] = [{ $set: { state: 'expired' } }, { $unset: 'owedSince' }];

/** Returns the update that stores a new request and leaves an existing one unchanged. */
export function creation(
  { id: _id, ...fields }: PermissionRequest,
  slots: PendingSlots,
): Document[] {
  const keptMs = rememberedMs[fields.call ? 'call' : 'permission'];
  const forgetAt = new Date(fields.expiresAt.getTime() + keptMs);
  const decider = deciderOf(fields);
  const owedSince = fields.createdAt;
  const derived = { ...slots, decider, readers: readersOf(fields), forgetAt, owedSince };
  const fresh = { $mergeObjects: [{ $literal: { _id, ...fields, ...derived } }, changeStamp] };
  const isNew = { $eq: [{ $type: '$order' }, 'missing'] };
  return [{ $replaceWith: { $cond: [isNew, fresh, '$$ROOT'] } }];
}

/** Returns the fields so that MongoDB does not interpret their text as expressions. */
export function literally(fields: object): Document {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]: [string, unknown]) => [name, { $literal: value }]),
  );
}

/**
 * Matches requests that are in the given state at this time; an overdue request is expired, even if that is not stored
 * yet.
 */
export function inState(state: PermissionState, now: Date): Filter<PermissionDocument> {
  if (state === 'pending') return { state, expiresAt: { $gt: now } };
  if (state !== 'expired') return { state };
  return { $or: [{ state }, { state: 'pending', expiresAt: { $lte: now } }] };
}

export function olderThan(after: { createdAt: Date; id: string }): Filter<PermissionDocument> {
  const { createdAt, id } = after;
  const isOlder = [{ createdAt: { $lt: createdAt } }, { _id: { $lt: id } }];
  return { createdAt: { $lte: createdAt }, $or: isOlder };
}

export function toRequest(document: PermissionDocument, now: Date): StoredPermission {
  const { _id: id, readers: _readers, order: _order, forgetAt: _forgetAt, ...rest } = document;
  const {
    decider: _decider,
    key: _key,
    agentPlace: _agentPlace,
    deciderPlace: _deciderPlace,
    ...fields
  } = rest;
  return { ...fields, id, state: stateAt(fields, now) };
}
