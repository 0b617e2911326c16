import type { AgentCall } from '../../agents';

/** Identifies a call: a repeated call has the same values. */
export interface LedgerKey {
  readonly call: Pick<AgentCall, 'agent' | 'requestId'>;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An effect that must not happen twice. `Before` and `Result` must be JSON. */
export interface OnceEffect<Before, Result> {
  /** Reads the state that the effect depends on; it is recorded before the effect. */
  readonly observe: () => Promise<Before>;
  /**
   * `isRepeated`: an earlier attempt was interrupted and may have taken effect, so state that no longer
   * matches `before` must be left unchanged.
   */
  readonly act: (before: Before, isRepeated: boolean) => Promise<Result>;
}

/**
 * Remembers calls by their request id, for tools whose effect no other service keeps from happening twice. A
 * repeated call gets the first result; the same id with other arguments is refused.
 */
export interface ToolLedger {
  once<Before, Result>(key: LedgerKey, effect: OnceEffect<Before, Result>): Promise<Result>;
  /**
   * For an effect that happens once because another service remembers the request id for a time: the result
   * is recorded after the effect, so that a repeated call does not reach that service at all.
   */
  remember<Result>(key: LedgerKey, act: () => Promise<Result>): Promise<Result>;
}
