export { attemptEach } from './attempt-each';
export { consumeUserNotices } from './consume-user-notices';
export { createLogger } from './create-logger';
export { ConfigError, EnvReader, withoutPassword } from './env-reader';
export { createMetrics, type Metrics } from './metrics';
export { runService, type BuiltService, type ServiceKit } from './run-service';
export { hinting } from './hinting';
export { goneUserIndexes, GoneUserStore } from './gone-user-store';
export { IdentityDirectory, type DirectoryEntry } from './identity-directory';
export { joinInstance, type Membership } from './join-instance';
export { openMongo } from './open-mongo';
export { ownFault } from './own-fault';
export { openNats } from './open-nats';
export {
  readMembershipConfig,
  readMongoConfig,
  readNatsConfig,
  readServiceConfig,
  type MembershipConfig,
  type MongoConfig,
  type NatsConfig,
  type ServiceConfig,
} from './service-config';
export { repeat } from './repeat';
export { makeSweepGoneUsers, type ForgetUser, type KeepsOfUsers } from './sweep-gone-users';
export { startOutbox, systemStreamOf } from './start-outbox';
export { StopSequence, type StopPhase } from './stop-sequence';
export { readTlsConfig, type TlsConfig } from './tls-config';
