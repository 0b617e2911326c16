import { errorCodes, type ErrorCode, type ErrorDetails } from '@daycare/api';
import { BadRequest, ErrorInfo, RetryInfo } from '@daycare/contracts/google-rpc';
import { DaycareError } from './daycare-error';

/** An error as Connect sends it. */
export interface ConnectFailure {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

/**
 * The reason of an error that states none, by its Connect code. Such an error may come from a proxy between the client
 * and the gateway.
 */
const reasonsByCode: Readonly<Record<string, ErrorCode>> = {
  canceled: 'CANCELLED',
  invalid_argument: 'INVALID_ARGUMENT',
  deadline_exceeded: 'DEADLINE_EXCEEDED',
  not_found: 'NOT_FOUND',
  permission_denied: 'PERMISSION_DENIED',
  resource_exhausted: 'RATE_LIMITED',
  failed_precondition: 'FAILED_PRECONDITION',
  aborted: 'CONFLICT',
  unimplemented: 'UNIMPLEMENTED',
  unavailable: 'UNAVAILABLE',
  unauthenticated: 'UNAUTHENTICATED',
};

export function toDaycareError({
  code = '',
  message = '',
  details = [],
}: ConnectFailure): DaycareError {
  const bytesOf = (name: string): Uint8Array | undefined => {
    const detail = details.find(({ type }) => type === `google.rpc.${name}`);
    return detail && fromBase64(detail.value);
  };
  const info = read(bytesOf('ErrorInfo'), (bytes) => ErrorInfo.decode(bytes));
  const reason = errorCodes.find((errorCode) => errorCode === info?.reason);
  const fields = read(bytesOf('BadRequest'), (bytes) => BadRequest.decode(bytes).fieldViolations);
  const delay = read(bytesOf('RetryInfo'), (bytes) => RetryInfo.decode(bytes).retryDelay);
  const errorDetails: ErrorDetails = {
    ...(fields && { fields }),
    ...(delay && { retryAfterMs: delay.seconds * 1_000 + delay.nanos / 1_000_000 }),
    ...(info && { metadata: info.metadata }),
  };
  const fallback = isOversized(code, message) ? 'INVALID_ARGUMENT' : reasonsByCode[code];
  return new DaycareError({
    code: reason ?? fallback ?? 'INTERNAL',
    message,
    details: errorDetails,
  });
}

/**
 * Reports whether a message was too large. The code is the same as for an exceeded rate limit, but sending the message
 * again later would not help.
 */
function isOversized(code: string, message: string): boolean {
  return code === 'resource_exhausted' && message.includes('larger than');
}

function read<T>(bytes: Uint8Array | undefined, decode: (bytes: Uint8Array) => T): T | undefined {
  return bytes && decode(bytes);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
