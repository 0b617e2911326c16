import { Metadata, status as grpcStatus, type ServiceError } from '@grpc/grpc-js';
import {
  BadRequest,
  ErrorInfo,
  PreconditionFailure,
  QuotaFailure,
  RetryInfo,
  Status,
} from '@daycare/contracts/google-rpc';
import {
  AppError,
  genericMessage,
  errorCodeOfGrpcStatus,
  errorCodes,
  grpcStatusOf,
  type ErrorCode,
  type ErrorDetails,
} from '@daycare/api';

const detailsKey = 'grpc-status-details-bin';
const domain = 'daycare';
const typePrefix = 'type.googleapis.com/google.rpc.';

interface Detail {
  readonly typeUrl: string;
  readonly value: Buffer;
}

function detail(name: string, bytes: Uint8Array): Detail {
  return { typeUrl: typePrefix + name, value: Buffer.from(bytes) };
}

function detailsOf({ code, details }: AppError): Detail[] {
  const { fields, retryAfterMs, quota, precondition, metadata } = details;
  const info = { reason: code, domain, metadata: { ...metadata } };
  const all = [detail('ErrorInfo', ErrorInfo.encode(info).finish())];
  if (fields) {
    const fieldViolations = [...fields];
    all.push(detail('BadRequest', BadRequest.encode({ fieldViolations }).finish()));
  }
  if (retryAfterMs !== undefined) {
    all.push(
      detail('RetryInfo', RetryInfo.encode({ retryDelay: toDuration(retryAfterMs) }).finish()),
    );
  }
  if (quota)
    all.push(detail('QuotaFailure', QuotaFailure.encode({ violations: [quota] }).finish()));
  if (precondition) {
    const violations = [precondition];
    all.push(detail('PreconditionFailure', PreconditionFailure.encode({ violations }).finish()));
  }
  return all;
}

function toDuration(ms: number): { seconds: number; nanos: number } {
  const whole = Math.max(0, Math.ceil(ms));
  return { seconds: Math.floor(whole / 1000), nanos: (whole % 1000) * 1_000_000 };
}

/** The status of a failed call in the form grpc-js expects. */
export interface GrpcFailure {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Converts an error to a protobuf message: status code, message and machine-readable details. */
export function toStatus(error: AppError): Status {
  return { code: grpcStatusOf[error.code], message: error.message, details: detailsOf(error) };
}

/** Converts an error to what a server sends for it: status, message and machine-readable details. */
export function toGrpcStatus(error: AppError): GrpcFailure {
  const status = toStatus(error);
  const metadata = new Metadata();
  metadata.set(detailsKey, Buffer.from(Status.encode(status).finish()));
  return { code: status.code, details: error.message, metadata };
}

/**
 * Reverses `toStatus`; if the details are missing or cannot be decoded, returns a generic error for the gRPC status.
 */
export function fromStatus({ code: grpcCode, message, details }: Status): AppError {
  const found = unlessMalformed(() => readDetails(details));
  const code = found?.code ?? errorCodeOfGrpcStatus(grpcCode);
  return new AppError(code, found ? message : genericMessage(code), found?.details);
}

/** Returns what a client throws for a failed call: the error that the peer threw, or one made from the bare status. */
export function fromGrpcError(error: ServiceError): AppError {
  const [bytes] = error.metadata.get(detailsKey);
  const found = Buffer.isBuffer(bytes) ? unlessMalformed(() => readStatus(bytes)) : undefined;
  const code = found?.code ?? codeOf(error);
  // The message of any other error may contain addresses and internals.
  const message = found?.message ?? (isOversized(error) ? oversizedMessage : genericMessage(code));
  return new AppError(code, message, found?.details, { cause: error });
}

/**
 * Restores an error from its details. The message is taken from them as well, because punctuation remains escaped in
 * the message that is sent as a header.
 */
function readStatus(bytes: Buffer) {
  const { message, details } = Status.decode(bytes);
  const found = readDetails(details);
  return found && { ...found, message };
}

/** The text by which grpc-js distinguishes a connection that its peer has ended from a call that has failed. */
const lostSession = 'triggered by internal client error: Session closed';

/**
 * When a peer ends a connection with an error, grpc-js fails the calls on it with INTERNAL. This is a lost connection
 * like any other, so it becomes UNAVAILABLE.
 */
function codeOf(error: ServiceError): ErrorCode {
  if (isOversized(error)) return 'INVALID_ARGUMENT';
  return error.details.includes(lostSession) ? 'UNAVAILABLE' : errorCodeOfGrpcStatus(error.code);
}

const oversizedMessage = 'The request or its response is too large';

/**
 * Reports whether a message was too large for a connection, in either direction. gRPC uses the same status as for an
 * exceeded rate limit, but sending the message again later would not help.
 */
function isOversized({ code, details }: ServiceError): boolean {
  return code === grpcStatus.RESOURCE_EXHAUSTED && details.includes('larger than');
}

/** Returns undefined for what cannot be decoded, because a peer, or a proxy in front of it, may send anything. */
function unlessMalformed<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function readDetails(
  details: readonly Detail[],
): { code: ErrorCode; details: ErrorDetails } | undefined {
  const byName = new Map<string, Buffer>();
  for (const { typeUrl, value } of details) {
    byName.set(typeUrl.slice(typePrefix.length), value);
  }
  const info = byName.get('ErrorInfo');
  if (!info) return undefined;
  const { reason, domain: errorDomain, metadata } = ErrorInfo.decode(info);
  const code = errorCodes.find((known) => known === reason);
  if (errorDomain !== domain || !code) return undefined;
  return { code, details: { metadata, ...otherDetails(byName) } };
}

function otherDetails(byName: ReadonlyMap<string, Buffer>): ErrorDetails {
  const read = <T>(name: string, decode: (bytes: Buffer) => T): T | undefined => {
    const bytes = byName.get(name);
    return bytes && decode(bytes);
  };
  const fields = read('BadRequest', (bytes) => BadRequest.decode(bytes).fieldViolations);
  const delay = read('RetryInfo', (bytes) => RetryInfo.decode(bytes).retryDelay);
  const quota = read('QuotaFailure', (bytes) => QuotaFailure.decode(bytes).violations[0]);
  const precondition = read(
    'PreconditionFailure',
    (bytes) => PreconditionFailure.decode(bytes).violations[0],
  );
  return {
    ...(fields && { fields }),
    ...(delay && { retryAfterMs: delay.seconds * 1000 + delay.nanos / 1_000_000 }),
    ...(quota && { quota }),
    ...(precondition && { precondition }),
  };
}
