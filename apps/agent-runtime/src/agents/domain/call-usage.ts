import type { Trust } from '@daycare/api';
import type { TokenUsage } from './context/history-record';

/**
 * The usage of one model call. If an agent made the call, its usage is stored with the history entry that records the
 * outcome, so that it counts exactly once.
 */
export interface CallUsage extends TokenUsage {
  /** Who pays: the owner of the agent's user, or the user itself. */
  readonly ownerUserId: string;
  /** `provider/model`. */
  readonly model: string;
  /** The trust of the turn that made the call. */
  readonly trust: Trust;
  /**
   * The nametag of the friend, or of the friend's subuser, that started the turn; absent when neither did.
   */
  readonly friend?: string;
  /** The turn that made the call; 0 for a call made outside any turn. */
  readonly turn: number;
  /** The time from the call until its outcome was known, in milliseconds, including retries. */
  readonly latencyMs: number;
  /** The cost in millionths of the currency, at the price when the outcome became known. */
  readonly costMicros: number;
  /** 1 for a call without an answer. */
  readonly failedCalls: 0 | 1;
  /** 1 when some or all of the tokens are estimated, because the provider did not report them. */
  readonly estimatedCalls: 0 | 1;
  /** The number of its reservation in the owner's account; 0 without one. */
  readonly reservation: number;
}

/** As stored: with the day on which it was recorded, in UTC. */
export interface RecordedCall extends CallUsage {
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/** Returns the UTC day of a time. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
