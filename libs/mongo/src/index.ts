export { connectMongo, type MongoConnection } from './connect-mongo';
export { digestsOf, type DigestPart, type PartDigest } from './digests-of';
export { retryOnDuplicateKey, violatedIndex } from './duplicate-key';
export { ensureIndexes, type CollectionIndexes } from './ensure-indexes';
export {
  isShardedCluster,
  shardCollections,
  type ShardingStep,
} from './sharding/shard-collections';
export { shardKeyFaults, type ShardKey } from './sharding/shard-key';
export { fingerprint } from './fingerprint';
export { abort, commit, commitOrAbort, inTransaction, type Outcome } from './in-transaction';
export { readSince, type ReadTimes } from './read-since';
export { appendRequest, pushRequest } from './recent-requests';
export { retryOnConflict } from './retry-on-conflict';
export { groupCalls } from './groups/group-calls';
export { groupFinds } from './groups/group-finds';
export { groupReads } from './groups/group-reads';
export { duplicatesIn, insertAll, unknownOutcome, type InsertOutcome } from './groups/insert-all';
export { serverOrder } from './groups/server-order';
