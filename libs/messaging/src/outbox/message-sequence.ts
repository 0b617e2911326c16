import { AppError } from '@daycare/api';

/**
 * Messages that are stored in order or not at all: once one could not be stored, no later one is. The sender
 * will repeat that one, and the later ones must not overtake it, even if they were already waiting.
 */
export interface MessageSequence {
  /** Whether a message of the sequence could not be stored. */
  isLost: boolean;
}

/** The message was not stored, because another message of its sequence could not be stored. */
export class OrderLost extends AppError {
  constructor() {
    super('UNAVAILABLE', 'A message was not stored; resend it and all messages after it');
  }
}
