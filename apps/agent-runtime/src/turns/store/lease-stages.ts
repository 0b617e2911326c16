import type { Document } from 'mongodb';

// Pipelines that update the document with all leases. All times come from the database, so that the replicas'
// clocks do not matter. Renewals and acquisitions first drop expired leases, which frees the shards of
// these leases.

/** Adds shards until there are `shardCount`; existing ones stay unchanged. */
export function addShards(shardCount: number): Document[] {
  const existing = { $ifNull: ['$fences', []] };
  const missing = { $map: { input: { $range: [{ $size: existing }, shardCount] }, in: 0 } };
  const replicas = { $ifNull: ['$replicas', []] };
  return [{ $set: { fences: { $concatArrays: [existing, missing] }, replicas } }];
}

export interface LeavingFields {
  readonly isLeaving: boolean;
  readonly isDrained: boolean;
}

export function renewLease(
  replicaId: string,
  ttlMs: number,
  { isLeaving, isDrained }: LeavingFields,
): Document[] {
  const fields = { expiresAt: fromNow(ttlMs), isLeaving };
  return [dropExpired, setLease(replicaId, fields, { isDrained })];
}

export interface TakeOptions {
  readonly limit: number;
  readonly except: readonly number[];
}

/** Takes shards that are still free when the database runs the update, so no other replica can take them in between. */
export function takeShards(
  replicaId: string,
  ttlMs: number,
  { limit, except }: TakeOptions,
): Document[] {
  const unavailable = {
    $reduce: {
      input: '$replicas.shards',
      initialValue: [...except],
      in: { $concatArrays: ['$$value', '$$this'] },
    },
  };
  const free = { $slice: [{ $setDifference: [allShards, unavailable] }, limit] };
  const ownShards = {
    $ifNull: [{ $getField: { field: 'shards', input: leaseOf(replicaId) } }, []],
  };
  return [
    dropExpired,
    { $set: { free } },
    { $set: { fences: raiseFences } },
    setLease(replicaId, {
      expiresAt: fromNow(ttlMs),
      isLeaving: false,
      shards: { $concatArrays: [ownShards, '$free'] },
      taken: '$free',
    }),
    { $unset: 'free' },
  ];
}

export function freeShards(
  replicaId: string,
  held: readonly { readonly shard: number; readonly fence: number }[],
): Document[] {
  const isUnchanged = { $eq: [{ $arrayElemAt: ['$fences', '$$held.shard'] }, '$$held.fence'] };
  const unchanged = { $filter: { input: [...held], as: 'held', cond: isUnchanged } };
  const shards = { $setDifference: ['$$each.shards', { $map: shardsOf(unchanged) }] };
  const isOwn = { $eq: ['$$each.id', { $literal: replicaId }] };
  const freed = { $cond: [isOwn, { $mergeObjects: ['$$each', { shards }] }, '$$each'] };
  return [{ $set: { replicas: { $map: { input: '$replicas', as: 'each', in: freed } } } }];
}

const allShards = { $range: [0, { $size: '$fences' }] };
const isCurrent = { $gt: ['$$each.expiresAt', '$$NOW'] };
const dropExpired = {
  $set: { replicas: { $filter: { input: '$replicas', as: 'each', cond: isCurrent } } },
};
const isTaken = { $cond: [{ $in: ['$$shard', '$free'] }, 1, 0] };
const raiseFences = {
  $map: {
    input: allShards,
    as: 'shard',
    in: { $add: [{ $arrayElemAt: ['$fences', '$$shard'] }, isTaken] },
  },
};

/** Changes a replica's lease, or creates it if the replica is new or its last lease has expired. */
function setLease(replicaId: string, fields: Document, initial: Document = {}): Document {
  const isOther = { $ne: ['$$each.id', { $literal: replicaId }] };
  const others = { $filter: { input: '$replicas', as: 'each', cond: isOther } };
  const fresh = { id: { $literal: replicaId }, shards: [], ...initial };
  const lease = { $mergeObjects: [fresh, leaseOf(replicaId), fields] };
  return { $set: { replicas: { $concatArrays: [others, [lease]] } } };
}

function leaseOf(replicaId: string): Document {
  const isOwn = { $eq: ['$$each.id', { $literal: replicaId }] };
  return { $first: { $filter: { input: '$replicas', as: 'each', cond: isOwn } } };
}

function shardsOf(held: Document): Document {
  return { input: held, as: 'held', in: '$$held.shard' };
}

function fromNow(ms: number): Document {
  return { $add: ['$$NOW', ms] };
}
