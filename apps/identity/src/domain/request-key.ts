/** A caller's request id and a fingerprint of the request: enough to recognise a retry. */
export interface RequestKey {
  /**
   * The caller, so that the request ids of two callers never collide; `connectorKeyScope` for a request whose id is a
   * connector key.
   */
  readonly scope: string;
  readonly id: string;
  /** Equal for equal requests. */
  readonly fingerprint: string;
}

/** The scope of requests whose id is `connector:key`. */
export const connectorKeyScope = 'connector-key';

/** Reports whether a request is a retry of an earlier one. */
export function isRetryOf(earlier: RequestKey, current: RequestKey): boolean {
  return (
    earlier.scope === current.scope &&
    earlier.id === current.id &&
    earlier.fingerprint === current.fingerprint
  );
}
