import { Timestamp, type Document, type Filter } from 'mongodb';
import {
  readersOf,
  stateAt,
  type PermissionRequest,
  type PermissionState,
} from '../domain/permission';

/** A request, and whether all that follows from its last change is known to be done. */
export interface StoredPermission extends PermissionRequest {
  /** Since when something may be left to do; undefined when nothing is. */
  readonly owedSince?: Date;
}

export interface PermissionDocument extends Omit<StoredPermission, 'id'> {
  readonly _id: string;
  /** The users who may know of it. */
  readonly readers: readonly string[];
  /** MongoDB's logical clock at its last change. */
  readonly order: Timestamp;
  readonly forgetAt: Date;
}

const rememberedMs = 90 * 24 * 60 * 60 * 1000;
/** A change can become visible after one with a later mark, but by no more than this. */
const overlapSeconds = 10;

/** The time of a change is the database's own, so that no clock of ours decides an order. */
export const changed = { order: '$$CLUSTER_TIME' };

/** The update that makes a request expired; nothing follows from that. */
export const expiry: Document[] = [{ $set: { state: 'expired' } }, { $unset: 'owedSince' }];

/** The update that keeps a new request, and leaves one that is there already exactly as it is. */
export function creation({ id: _id, ...fields }: PermissionRequest): Document[] {
  const forgetAt = new Date(fields.expiresAt.getTime() + rememberedMs);
  const more = { readers: readersOf(fields), forgetAt, owedSince: fields.createdAt };
  const fresh = { $mergeObjects: [{ $literal: { _id, ...fields, ...more } }, changed] };
  const isNew = { $eq: [{ $type: '$order' }, 'missing'] };
  return [{ $replaceWith: { $cond: [isNew, fresh, '$$ROOT'] } }];
}

/** No text is taken for an expression. */
export function literally(fields: object): Document {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [name, { $literal: value }]),
  );
}

/** By time, whether or not it was written down that a request has expired. */
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

export function changedAfter(after: { order: Timestamp; _id: string }): Filter<PermissionDocument> {
  const { order, _id } = after;
  return { order: { $gte: order }, $or: [{ order: { $gt: order } }, { _id: { $gt: _id } }] };
}

/** From where to read on so that nothing is missed that became visible late. */
export function shortlyBefore(mark: Timestamp | undefined): Timestamp {
  const seconds = mark?.t ?? 0;
  return new Timestamp({ t: Math.max(0, seconds - overlapSeconds), i: 0 });
}

export function toRequest(document: PermissionDocument, now: Date): StoredPermission {
  const { _id: id, readers: _readers, order: _order, forgetAt: _forgetAt, ...fields } = document;
  return { ...fields, id, state: stateAt(fields, now) };
}
