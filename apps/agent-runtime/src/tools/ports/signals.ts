import type { Trust } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { FittedList } from '../../shared/text/fit-characters';

/**
 * The operations of an agent on its user's signals. Every call is made as that agent; topology decides
 * whether it is allowed.
 */
export interface Signals {
  emit(call: AgentCall, signal: EmitSignalRequest): Promise<SignalView>;
  /** Silent unless `silent` is false; subscribing again to the same pattern only changes that. */
  subscribe(
    call: AgentCall,
    pattern: string,
    silent: boolean | undefined,
  ): Promise<SubscriptionView>;
  unsubscribe(call: AgentCall, pattern: string): Promise<void>;
  /** Newest first, as many as one tool result can hold. */
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
  /** A JSON value; if it is long, a string with the beginning of its JSON. */
  readonly data?: unknown;
  /** How many characters of long data are missing. */
  readonly cutCharacters?: number;
  readonly agentId?: string;
  readonly repeatKey?: string;
  readonly createdAt: string | undefined;
  readonly dueAt: string | undefined;
  /** The trust of its author. */
  readonly trust: Trust;
}

export interface SubscriptionView {
  readonly agentId: string;
  readonly pattern: string;
  readonly silent: boolean;
}
