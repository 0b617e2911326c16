import { AppError } from '@daycare/api';

/**
 * Creates an error for the person at the terminal: one sentence that says what is wrong and what to do. Launchers print
 * its message and nothing else.
 */
export function cannotStart(sentence: string, cause?: unknown): AppError {
  return new AppError('FAILED_PRECONDITION', sentence, {}, { cause });
}

/** Returns the message of anything thrown. */
export function reasonOf(thrown: unknown): string {
  // Not `instanceof`, because an error may come from another realm, as all of Node's own errors do inside Jest.
  const { message } = (thrown ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(thrown);
}
