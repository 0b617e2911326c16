/** A caller's request id, and what was asked for under it: enough to recognise a retry. */
export interface RequestKey {
  /** Whose request it is: ids chosen by two callers never meet. */
  readonly scope: string;
  readonly id: string;
  /** Equal for equal requests; a request id used again for something else is a caller's mistake. */
  readonly fingerprint: string;
}

/** Says whether an earlier request under the same id asked for the same thing. */
export function isRetryOf(earlier: RequestKey, now: RequestKey): boolean {
  return (
    earlier.scope === now.scope && earlier.id === now.id && earlier.fingerprint === now.fingerprint
  );
}
