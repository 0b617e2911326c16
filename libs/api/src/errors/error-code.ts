/**
 * The closed set of ways a Daycare call can fail. A code is what a client program branches on: it
 * travels as `google.rpc.ErrorInfo.reason`.
 */
export const errorCodes = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'REQUEST_ID_REUSED',
  'FAILED_PRECONDITION',
  'CONFLICT',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'UNAVAILABLE',
  'UNIMPLEMENTED',
  'INTERNAL',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** gRPC's status numbers, repeated here so that this library does not depend on gRPC. */
const grpc = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** The gRPC status of each code. */
export const grpcStatusOf: Readonly<Record<ErrorCode, number>> = {
  INVALID_ARGUMENT: grpc.INVALID_ARGUMENT,
  UNAUTHENTICATED: grpc.UNAUTHENTICATED,
  PERMISSION_DENIED: grpc.PERMISSION_DENIED,
  NOT_FOUND: grpc.NOT_FOUND,
  REQUEST_ID_REUSED: grpc.ALREADY_EXISTS,
  FAILED_PRECONDITION: grpc.FAILED_PRECONDITION,
  CONFLICT: grpc.ABORTED,
  RATE_LIMITED: grpc.RESOURCE_EXHAUSTED,
  QUOTA_EXCEEDED: grpc.RESOURCE_EXHAUSTED,
  CANCELLED: grpc.CANCELLED,
  DEADLINE_EXCEEDED: grpc.DEADLINE_EXCEEDED,
  UNAVAILABLE: grpc.UNAVAILABLE,
  UNIMPLEMENTED: grpc.UNIMPLEMENTED,
  INTERNAL: grpc.INTERNAL,
};

/** Whether background work should retry after a failure. */
export const retryOf: Readonly<Record<ErrorCode, 'retry' | 'give-up'>> = {
  INVALID_ARGUMENT: 'give-up',
  UNAUTHENTICATED: 'give-up',
  PERMISSION_DENIED: 'give-up',
  NOT_FOUND: 'give-up',
  REQUEST_ID_REUSED: 'give-up',
  FAILED_PRECONDITION: 'give-up',
  CONFLICT: 'retry',
  RATE_LIMITED: 'retry',
  QUOTA_EXCEEDED: 'give-up',
  CANCELLED: 'retry',
  DEADLINE_EXCEEDED: 'retry',
  UNAVAILABLE: 'retry',
  UNIMPLEMENTED: 'give-up',
  INTERNAL: 'retry',
};

const codeOfGrpcStatus: ReadonlyMap<number, ErrorCode> = new Map([
  ...errorCodes.map((code) => [grpcStatusOf[code], code] as const).reverse(),
]);

/** The code for a gRPC status from a peer that sent no `ErrorInfo`. */
export function errorCodeOfGrpcStatus(status: number): ErrorCode {
  return codeOfGrpcStatus.get(status) ?? 'INTERNAL';
}
