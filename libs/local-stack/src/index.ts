export { makeBackup, type BackupSource } from './backup/backup';
export { keyNames, type KeyFiles, type KeyName } from './backup/keys';
export { missingParts, verifyBackup, type Manifest, type MissingPart } from './backup/manifest';
export { readBson } from './backup/bson-file';
export { restoreBackup } from './backup/restore';
export { restoreLocally } from './backup/restore-locally';
export { reasonOf } from './process/cannot-start';
export {
  adminAuthorization,
  createCredentials,
  generateSecret,
  type CredentialedService,
  type Credentials,
} from './credentials/credentials';
export { adminHeaderFile, credentialsFile, vaultKeyFile } from './credentials/credentials-file';
export { killLiveProcesses } from './process/live-processes';
export { describeExit, type ProcessExit, type ProcessHandle } from './process/managed-process';
export { processStartTime } from './process/process-identity';
export { hidePassword } from './servers/external-server';
export { findServer, type FoundServer, type ServerKind } from './servers/find-server';
export { natsOptions } from './servers/nats-options';
export { chooseFreePort, isPortFree } from './servers/ports';
export type { RunningServer } from './servers/running-server';
export { ensureMongoUsers, withMongoUser } from './servers/mongo/mongo-users';
export { startMongoCluster } from './servers/mongo/start-mongo-cluster';
export { startReplicaSet } from './servers/mongo/start-replica-set';
export { startMongod } from './servers/mongo/start-mongod';
export type { NatsAccess } from './servers/nats/nats-config';
export {
  createNatsPasswords,
  withCredentials,
  withNatsUser,
  type NatsPasswords,
} from './credentials/nats-passwords';
export {
  planNatsCluster,
  type ClusterNode,
  type NatsCluster,
} from './servers/nats/start-nats-cluster';
export { startNatsServer } from './servers/nats/start-nats-server';
export { tryServer } from './servers/try-server';
export { isServing } from './services/check-health';
export { parseLogLine } from './services/log-line';
export {
  appNames,
  bundlePath,
  portVariable,
  preferredEdgePort,
  preferredPorts,
  serviceNames,
  type AppName,
  type ServiceName,
  nodeOptions,
} from './services/service-catalog';
export type { ShardingStep } from '@daycare/mongo';
export { shardDatabases } from './services/shard-databases';
export { startService, type RunningService } from './services/start-service';
export { neededBytes, readFreeBytes } from './stack/check-data-dir';
export { LocalStack } from './stack/local-stack';
export type { ServiceAddress, StackAddresses } from './stack/local-stack-options';
export { planPorts, type PlannedPort } from './stack/plan-ports';
export { claimDataDir, type RunFile } from './stack/run-file';
export { buildServiceEnv } from './stack/service-env';
export type { PartName, StackEvent } from './stack/stack-event';
export { writeStackFile } from './stack/stack-file';
export { findWorkspaceRoot } from './workspace-root';
