import { AppError } from '@daycare/api';

/**
 * Messages that are stored in order or not at all: after one that could not be stored, none follows. The sender will
 * repeat that one, and the others must not overtake it, even if they were already waiting.
 */
export interface MessageSequence {
  isLost: boolean;
}

/** The message was not stored, because another message of its sequence could not be stored. */
export class OrderLost extends AppError {
  constructor() {
    super('UNAVAILABLE', 'A message was not stored; resend it and all messages after it');
  }
}
