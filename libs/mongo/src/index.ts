export { connectMongo, type MongoConnection, type MongoOptions } from './connect-mongo';
export { digestOf } from './digest-of';
export { againOnDuplicate, violatedIndex } from './duplicate-key';
export { ensureIndexes, type CollectionIndexes } from './ensure-indexes';
export { inTransaction } from './in-transaction';
export { markOf } from './mark-of';
