/** What programs need that look for a stack but start none: loads neither servers' drivers nor gRPC. */
export {
  addressVariable,
  portVariable,
  serviceNames,
  type ServiceName,
} from './services/service-catalog';
export { readStackFile, type StackRecord } from './stack/stack-file';
export { findWorkspaceRoot } from './workspace-root';
