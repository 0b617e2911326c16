import type { ContextMessage } from '../domain/context-message';
import type { TokenUsage, ToolCall } from '../domain/history-record';

export interface ModelRequest {
  /** What the agent is told about itself. */
  readonly systemPrompt: string;
  readonly context: readonly ContextMessage[];
  /** Aborted when nobody may use the answer any more. */
  readonly signal: AbortSignal;
  /** Called with each piece of text as it is written. */
  readonly onDelta: (text: string) => void;
}

export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenUsage;
}

/** A model that answers. Rejects when it cannot; the item is then tried again. */
export interface ModelProvider {
  readonly name: string;
  readonly model: string;
  answer(request: ModelRequest): Promise<ModelAnswer>;
}
