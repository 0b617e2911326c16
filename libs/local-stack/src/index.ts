export { cannotStart, reasonOf } from './cannot-start';
export {
  adminAuthorization,
  createCredentials,
  type CredentialedService,
  type Credentials,
} from './credentials/credentials';
export {
  adminHeaderFile,
  credentialsFile,
  loadOrCreateCredentials,
  type LoadedCredentials,
} from './credentials/credentials-file';
export { killLiveProcesses } from './process/live-processes';
export {
  describeExit,
  ManagedProcess,
  type ProcessExit,
  type ProcessHandle,
  type ProcessOptions,
} from './process/managed-process';
export { processStart } from './process/process-identity';
export { hidePassword } from './servers/external-server';
export {
  findServer,
  type FindOptions,
  type FoundServer,
  type ServerBinary,
  type ServerKind,
} from './servers/find-server';
export { chooseFreePort, isPortFree } from './servers/ports';
export type { RunningServer, ServerOptions } from './servers/running-server';
export { startMongod } from './servers/start-mongod';
export { startNatsServer } from './servers/start-nats-server';
export { tryServer, type TryOptions } from './servers/try-server';
export { isServing } from './services/check-health';
export { parseLogLine } from './services/log-line';
export {
  addressVariable,
  bundlePath,
  portVariable,
  preferredEdgePort,
  preferredPorts,
  serviceNames,
  type ServiceName,
} from './services/service-catalog';
export { startService, type RunningService, type ServiceOptions } from './services/start-service';
export { neededBytes, readFreeBytes } from './stack/check-data-dir';
export { LocalStack } from './stack/local-stack';
export type {
  LocalStackOptions,
  ServiceAddress,
  StackAddresses,
} from './stack/local-stack-options';
export { planPorts, type PlannedPort, type PortWish } from './stack/plan-ports';
export { claimDataDir, type RunFile } from './stack/run-file';
export { buildServiceEnv, type ServiceEnvOptions } from './stack/service-env';
export { readStackFile, stackFile, writeStackFile, type StackRecord } from './stack/stack-file';
export type { PartName, StackEvent, StackListener } from './stack/stack-event';
export type { InfraAddress } from './stack/start-infra';
export { findWorkspaceRoot } from './workspace-root';
