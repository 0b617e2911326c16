export { createRpcClient } from './client/rpc-client';
export { answerInOrder } from './server/streams/answer-in-order';
export type { CallOutcome, CallPipeline } from './server/call-pipeline';
export { implementService, type ServiceImplementation } from './server/implement-service';
export {
  forwardedKey,
  makeCallerAddress,
  makeClientAddress,
  subscriberOf,
  type ClientAddress,
} from './server/limits/caller-address';
export { makeIsWithin, parseSubnet, type Subnet } from './server/limits/subnets';
export { FloodGuard, isOverLimit, reduceRetryAfter } from './server/limits/flood-guard';
export { createRateLimiter } from './server/limits/rate-limiter';
export { StreamLimiter, type StreamLimits } from './server/limits/stream-limiter';
export { logFailure } from './server/log-failure';
export { readWord, requireWord } from './server/read-word';
export { requireUser } from './server/require-user';
export { startRpcServer, type ConnectionLimits, type RpcServer } from './server/rpc-server';
export { TokenBuckets, type RateLimit } from './server/limits/token-buckets';
export type {
  Authenticate,
  CallContext,
  CallHeaders,
  Caller,
  UserCaller,
} from './shared/call-context';
export { EncodedResponse } from './shared/encoded-response';
export type { Logger } from './shared/logger';
export type {
  CallMetadata,
  CallOptions,
  Handlers,
  MetadataFor,
  RpcClient,
  ServiceContract,
} from './shared/service-types';
export { traceparentKey } from './shared/traceparent';
export { fromStatus, toGrpcStatus, toStatus } from './shared/status-details';
export {
  channelCredentials,
  serverCredentials,
  type Renewals,
  type TlsFiles,
  type TlsMaterial,
} from './shared/tls';
