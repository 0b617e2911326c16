import { AppError } from '@daycare/api';

/**
 * Messages of which none is stored after one that could not be: its sender will repeat it, and the others
 * must not overtake it, even if they were already waiting.
 */
export interface MessageSequence {
  isLost: boolean;
}

/** The message was not stored, because another one of its sequence could not be. */
export class OrderLost extends AppError {
  constructor() {
    super('UNAVAILABLE', 'A message was not stored; resend it and all messages after it');
  }
}
