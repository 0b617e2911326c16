export { connectMongo, type MongoConnection, type MongoOptions } from './connect-mongo';
export { againOnDuplicate, violatedIndex } from './duplicate-key';
export { ensureIndexes, type CollectionIndexes } from './ensure-indexes';
