import { connect, isDaycareError } from '@daycare/client/browser';
import { forgetStored } from './stored';
import { beginAgain, pageUser } from './windows/page-user';

/** Daycare, as the person whose page this is. The gateway adds the token of the browser's session, if it is still theirs. */
export const daycare = connect({ url: location.origin, expectedUser: pageUser });

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

/** Leaves the page when the session has ended, or is another person's by now; returns whether it does. */
export function leaveIfSignedOut(error: unknown): boolean {
  if (!isDaycareError(error, 'UNAUTHENTICATED')) return false;
  if (error.metadata['session'] === 'another_user') beginAgain();
  else leave();
  return true;
}

/** To be called whenever the session has ended: what this browser remembers of the person ends with it. */
export function leave(): void {
  forgetStored();
  location.assign('/sign-in');
}
