export type { Authenticate, CallContext, Caller } from './call-context';
export type { CallOutcome, CallPipeline } from './call-pipeline';
export { implementService, type ServiceImplementation } from './implement-service';
export type { Logger } from './logger';
export { createRpcClient, type RpcClientOptions } from './rpc-client';
export { startRpcServer, type RpcServer, type RpcServerOptions } from './rpc-server';
export type { CallOptions, Handler, Handlers, RpcClient, ServiceContract } from './service-types';
export { fromGrpcError, toGrpcStatus } from './status-details';
