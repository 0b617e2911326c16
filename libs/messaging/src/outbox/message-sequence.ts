import { AppError } from '@daycare/api';

/**
 * Messages that must be stored in order: once one of them fails to be stored, none of the later ones are stored. The
 * sender will resend that message, and later ones must not overtake it, even if they were already waiting.
 */
export interface MessageSequence {
  /** Whether a message of the sequence could not be stored. */
  isBroken: boolean;
}

/** The message was not stored, because an earlier message of its sequence could not be stored. */
export class BrokenSequenceError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'An earlier message was not stored; resend it and all messages after it');
  }
}
