import type { AgentCall } from '../../agents';

/** Identifies a call: a retry has the same values. */
export interface LedgerKey {
  readonly call: Pick<AgentCall, 'agent' | 'requestId'>;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An effect that must not happen twice. `Before` and `Result` must be JSON values. */
export interface OnceEffect<Before, Result> {
  /** Reads the state that the effect depends on; that state is recorded before the effect. */
  readonly observe: () => Promise<Before>;
  /**
   * `isRetry` means that an earlier attempt was interrupted and may have taken effect, so state that no longer
   * matches `before` must be left unchanged.
   */
  readonly act: (before: Before, isRetry: boolean) => Promise<Result>;
}

/**
 * Remembers calls by request id, so that a retry does not take effect a second time. A retry gets the first result; a
 * call with the same id and other arguments is refused.
 */
export interface ToolLedger {
  once<Before, Result>(key: LedgerKey, effect: OnceEffect<Before, Result>): Promise<Result>;
  /**
   * For an effect that happens only once because the usecase or service behind it remembers the request id for a while.
   * The result is recorded after the effect; from then on, a retry gets that result without a call to `act`.
   */
  remember<Result>(key: LedgerKey, act: () => Promise<Result>): Promise<Result>;
}
