import type { Trust } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { FittedList } from '../../shared/text/fit-characters';

/**
 * An agent's operations on its user's signals. Every call is made on behalf of that agent, and topology decides
 * whether to allow it.
 */
export interface Signals {
  emit(call: AgentCall, signal: EmitSignalRequest): Promise<SignalView>;
  /** Silent unless `silent` is false. Subscribing to the same pattern again changes only that setting. */
  subscribe(
    call: AgentCall,
    pattern: string,
    silent: boolean | undefined,
  ): Promise<SubscriptionView>;
  unsubscribe(call: AgentCall, pattern: string): Promise<void>;
  /** Returns signals, newest first, as many as one tool result can hold. */
  list(call: AgentCall, pattern: string, limit: number): Promise<FittedList<SignalView>>;
}

export interface EmitSignalRequest {
  readonly type: string;
  readonly dataJson: string;
  readonly delayMs: number;
  readonly repeatKey: string;
}

/** A signal as shown to a model; empty fields are omitted. */
export interface SignalView {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  /** Any JSON value; if its JSON is long, a string with the beginning of that JSON. */
  readonly data?: unknown;
  /** How many characters are missing from long data. */
  readonly cutCharacters?: number;
  readonly agentId?: string;
  readonly repeatKey?: string;
  readonly createdAt: string | undefined;
  readonly dueAt: string | undefined;
  /** The author's trust. */
  readonly trust: Trust;
}

export interface SubscriptionView {
  readonly agentId: string;
  readonly pattern: string;
  readonly silent: boolean;
}
