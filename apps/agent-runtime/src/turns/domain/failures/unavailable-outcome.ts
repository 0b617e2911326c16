import type { ErrorCode } from '@daycare/api';

/** Returns what the model receives as the result of a call whose service was not available. */
export function unavailableOutcome(code: ErrorCode, isReadOnly: boolean) {
  const message = isReadOnly
    ? 'The service behind this tool is not available right now. Continue without it, or try again later.'
    : 'The service behind this tool is not available right now, and it is not known whether the call took effect. Check before you make it again.';
  const resultJson = JSON.stringify({ error: { code, message } });
  return { resultJson, isError: true, truncated: false };
}
