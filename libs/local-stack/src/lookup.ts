/** For programs that find a running stack but start none: loads neither database drivers nor gRPC. */
export {
  addressVariable,
  appNames,
  portVariable,
  serviceNames,
  type AppName,
  type ServiceName,
} from './services/service-catalog';
export { readStackFile, type StackRecord } from './stack/stack-file';
export { findWorkspaceRoot } from './workspace-root';
