/** A caller's request id, and what was asked for under it: enough to recognise a retry. */
export interface RequestKey {
  readonly id: string;
  /** Equal for equal requests; a request id used again for something else is a caller's mistake. */
  readonly fingerprint: string;
}

/** Says whether an earlier request under the same id asked for the same thing. */
export function isRetryOf(earlier: RequestKey, now: RequestKey): boolean {
  return earlier.id === now.id && earlier.fingerprint === now.fingerprint;
}
