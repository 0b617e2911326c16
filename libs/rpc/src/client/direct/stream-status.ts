import { constants, type IncomingHttpHeaders } from 'node:http2';
import { Metadata, status } from '@grpc/grpc-js';

/** How a call ended. */
export interface CallStatus {
  readonly code: status;
  readonly details: string;
  /** The headers or trailers with the status, if it came from the peer. */
  readonly headers?: IncomingHttpHeaders;
}

/**
 * Returns the status in a response's trailers, or in its headers if it consists of nothing else. If they contain none,
 * returns the status that the HTTP status implies, or UNKNOWN.
 */
export function statusIn(headers: IncomingHttpHeaders, httpStatus: number | undefined): CallStatus {
  const code = headers['grpc-status'];
  if (typeof code === 'string')
    return { code: Number(code), details: decode(headers['grpc-message']), headers };
  if (httpStatus !== undefined && httpStatus !== 200) return statusOfHttp(httpStatus);
  return { code: status.UNKNOWN, details: 'No status information received', headers };
}

const codeByHttpStatus: Readonly<Record<number, status>> = {
  400: status.INTERNAL,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.UNIMPLEMENTED,
  429: status.UNAVAILABLE,
  502: status.UNAVAILABLE,
  503: status.UNAVAILABLE,
  504: status.UNAVAILABLE,
};

/** Returns the status for an HTTP response that does not come from a gRPC server. */
export function statusOfHttp(code: number): CallStatus {
  const details = `Received HTTP status code ${code}`;
  return { code: codeByHttpStatus[code] ?? status.UNKNOWN, details };
}

const statusByReset: Readonly<Record<number, readonly [status, string]>> = {
  [constants.NGHTTP2_REFUSED_STREAM]: [status.UNAVAILABLE, 'Stream refused by server'],
  [constants.NGHTTP2_CANCEL]: [status.CANCELLED, 'Call cancelled'],
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: [
    status.RESOURCE_EXHAUSTED,
    'Bandwidth exhausted or memory limit exceeded',
  ],
  [constants.NGHTTP2_INADEQUATE_SECURITY]: [status.PERMISSION_DENIED, 'Protocol not secure enough'],
};

const lostConnectionCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ETIMEDOUT']);

/**
 * Returns the status of a call whose stream was closed without one. It is worded as in grpc-js, because `fromGrpcError`
 * recognises some errors by their text.
 */
export function statusOfReset(
  rstCode: number,
  error: NodeJS.ErrnoException | undefined,
): CallStatus {
  const [code, details] = statusByReset[rstCode] ?? [];
  if (code !== undefined && details !== undefined) return { code, details };
  if (error && lostConnectionCodes.has(error.code))
    return { code: status.UNAVAILABLE, details: error.message };
  const cause = error
    ? `triggered by internal client error: ${error.message}`
    : '(Call ended without gRPC status)';
  return {
    code: status.INTERNAL,
    details: `Received RST_STREAM with code ${rstCode} ${cause}`,
  };
}

/** Returns the error that grpc-js would report. */
export function toServiceError({ code, details, headers = {} }: CallStatus) {
  const { stackTraceLimit } = Error;
  // No stack trace, because the error is logged where it is caught, together with the peer's error.
  Error.stackTraceLimit = 0;
  const error = new Error(`${code} ${status[code]}: ${details}`);
  Error.stackTraceLimit = stackTraceLimit;
  const metadata = Metadata.fromHttp2Headers(headers);
  for (const key of ['grpc-status', 'grpc-message']) metadata.remove(key);
  return Object.assign(error, { code, details, metadata });
}

function decode(message: string | string[] | undefined): string {
  if (typeof message !== 'string') return '';
  try {
    return decodeURI(message);
  } catch {
    return message;
  }
}
