import { AppError } from '@daycare/api';

/**
 * Messages that are stored in order or not at all: after one could not be stored, no later one is. The sender will
 * resend that message, and later ones must not overtake it, even if they were already waiting.
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
