import type { SystemMessage } from '@daycare/contracts/common';
import { AppError, type ErrorCode } from '@daycare/api';

/** A message that will not be handled, to be stored for a person to inspect. */
export interface DeadLetter {
  /** The message's id, or its position in the stream when it has none. */
  readonly id: string;
  /** Undefined when the payload cannot be decoded. */
  readonly message: SystemMessage | undefined;
  readonly payload: Uint8Array;
  readonly code: ErrorCode;
  /** Shown to the sender. */
  readonly reason: string;
}

/** Why a message is buried without being passed to the handler. */
export class UnprocessableError extends AppError {}

export function undecodable(): UnprocessableError {
  return new UnprocessableError('INVALID_ARGUMENT', 'the message cannot be decoded');
}

/** The error for a message that probably crashes or blocks every process that handles it. */
export function exceededDeliveries(): UnprocessableError {
  return new UnprocessableError('INTERNAL', 'exceeded the delivery limit');
}
