/** For programs that find a running stack but start none: loads neither database drivers nor gRPC. */
export {
  addressVariable,
  portVariable,
  serviceNames,
  type ServiceName,
} from './services/service-catalog';
export { readStackFile, type StackRecord } from './stack/stack-file';
export { findWorkspaceRoot } from './workspace-root';
