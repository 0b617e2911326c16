/** For programs that look for a running stack but start none; loads neither database drivers nor gRPC. */
export { mayBeAlive, pidExists, processStartTime } from './process/process-identity';
export {
  addressVariable,
  appNames,
  portVariable,
  preferredPorts,
  serviceNames,
} from './services/service-catalog';
export type { AppName, ServiceName } from './services/service-catalog';
export { findLauncher } from './stack/run-file';
export { readStackFile, type StackRecord } from './stack/stack-file';
export { findWorkspaceRoot } from './workspace-root';
