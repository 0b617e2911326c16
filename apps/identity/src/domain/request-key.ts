/** A caller's request id and a fingerprint of the request: enough to recognise a retry. */
export interface RequestKey {
  /** The caller, so that the request ids of two callers never collide. */
  readonly scope: string;
  readonly id: string;
  /** Equal for equal requests. */
  readonly fingerprint: string;
}

/** The scope of requests whose id is `connector:key`. */
export const connectorKeyScope = 'connector-key';

/** Whether a request repeats an earlier one. */
export function isRetryOf(earlier: RequestKey, now: RequestKey): boolean {
  return (
    earlier.scope === now.scope && earlier.id === now.id && earlier.fingerprint === now.fingerprint
  );
}
