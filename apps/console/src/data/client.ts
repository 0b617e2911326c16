import { connect, isDaycareError } from '@daycare/client/browser';
import { forgetStored } from './stored';

/** Daycare, as the person whose session the browser has. The gateway adds the token. */
export const daycare = connect({ url: location.origin });

/** What went wrong, in words for a person. */
export function describeError(error: unknown): string {
  if (isDaycareError(error, 'UNAVAILABLE', 'DEADLINE_EXCEEDED'))
    return 'Daycare cannot be reached at the moment. Try again.';
  if (isDaycareError(error)) return error.message;
  return error instanceof Error ? error.message : 'Something went wrong.';
}

/** Whether a call ended because its result is no longer needed. */
export function isCancelled(error: unknown): boolean {
  return isDaycareError(error, 'CANCELLED');
}

/** Leads to the sign-in page when the session has ended; returns whether it has. */
export function leaveIfSignedOut(error: unknown): boolean {
  if (!isDaycareError(error, 'UNAUTHENTICATED')) return false;
  leave();
  return true;
}

/** To be called whenever the session has ended: what this browser remembers of the person ends with it. */
export function leave(): void {
  forgetStored();
  location.assign('/sign-in');
}
