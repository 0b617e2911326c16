export { ConfigError, EnvReader } from './config/env-reader';
export { readSubnets } from './config/read-subnets';
export type { VariableSpec } from './config/variable-spec';
export {
  readMongoConfig,
  readPeerServiceConfig,
  readServiceConfig,
  type MongoConfig,
  type PeerServiceConfig,
  type ServiceConfig,
} from './config/service-config';
export { logRenewals } from './config/file-renewals';
export { readNatsConfig, type NatsConfig } from './config/nats-config';
export { readKeyPair, type KeyPair, type TlsConfig } from './config/tls-config';
export { connectPeers, type PeerAccess } from './peers/connect-peers';
export { reportClockSkew, watchKeyAge } from './peers/watch-keys';
export { openMongo } from './connections/open-mongo';
export { openNats } from './connections/open-nats';
export { startOutbox, systemStreamOf } from './connections/start-outbox';
export { repeat } from './process/repeat';
export { repeatWhenDue } from './process/repeat-when-due';
export {
  runService,
  type BuiltServer,
  type BuiltService,
  type ServiceKit,
} from './process/run-service';
export { deriveKey, Sealer } from './secrets/sealer';
export { StatusReport } from './process/service-status';
export { StopSequence } from './process/stop-sequence';
export { makeCallPeer } from './peers/call-peer';
export { maskPeerAuthError } from './peers/mask-peer-auth-error';
export { withChangeHint } from './usecases/with-change-hint';
export { attemptEach } from './usecases/attempt-each';
export { consumeUserNotices } from './users/consume-user-notices';
export { deletedUserIndexes, DeletedUserStore } from './users/deleted-user-store';
export { IdentityDirectory, type DirectoryEntry } from './peers/identity-directory';
export {
  makeSweepDeletedUsers,
  type ForgetUser,
  type UserDataStore,
} from './users/sweep-deleted-users';
