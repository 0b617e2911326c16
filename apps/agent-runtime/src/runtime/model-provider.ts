import type { ContextMessage } from '../domain/context-message';
import type { TokenUsage, ToolCall } from '../domain/history-record';

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly model: string;
  /** What the agent is told about itself. */
  readonly systemPrompt: string;
  readonly context: readonly ContextMessage[];
  readonly tools: readonly ToolSpec[];
  /** Aborted when nobody may use the answer any more. */
  readonly signal: AbortSignal;
  /** Called with each piece of text as it is written. */
  readonly onDelta: (text: string) => void;
  /** Called when the answer is begun anew after a failure: all pieces so far are void. */
  readonly onRestart?: () => void;
}

export interface ModelAnswer {
  readonly text: string;
  /** In the order they are to be run; their ids are unique within the answer. */
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenUsage;
}

/**
 * Models that answer. Rejects with an AppError whose text a person may read when it cannot; the item
 * is then tried again.
 */
export interface ModelProvider {
  readonly name: string;
  /** Used by agents that name no model of their own. */
  readonly defaultModel: string;
  answer(request: ModelRequest): Promise<ModelAnswer>;
}
