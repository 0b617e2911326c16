import type { AgentCall } from '../../agents';

/** What must be the same for a call to be a repetition. */
export interface LedgerKey {
  readonly call: Pick<AgentCall, 'agent' | 'requestId'>;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An effect that must not happen twice. Both values must be JSON. */
export interface OnceEffect<Before, Result> {
  /** What the effect depends on, recorded before it. */
  readonly observe: () => Promise<Before>;
  /**
   * `isRepeated` says that an earlier attempt was interrupted, after which it is unknown whether the effect
   * took place: what is no longer as observed `before` must be left alone.
   */
  readonly act: (before: Before, isRepeated: boolean) => Promise<Result>;
}

/**
 * Remembers calls by their request id, for tools whose effect no other service makes unique. A repeated
 * call gets the first result; the same id with other arguments is refused.
 */
export interface ToolLedger {
  once<Before, Result>(key: LedgerKey, effect: OnceEffect<Before, Result>): Promise<Result>;
  /**
   * For an effect that another service makes unique for as long as it remembers the request id: the result is
   * recorded after it, so that a repeated call does not reach the service at all.
   */
  remember<Result>(key: LedgerKey, act: () => Promise<Result>): Promise<Result>;
}
