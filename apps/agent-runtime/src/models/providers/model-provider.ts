import type { ContextMessage, TokenUsage, ToolCall } from '../../agents';

/** A tool as it is described to a model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema for its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** An image in a form that every provider accepts. */
export interface LoadedImage {
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export interface ModelRequest {
  readonly model: string;
  /** Rarely changes between an agent's requests, so that the provider can cache it together with the context. */
  readonly systemPrompt: string;
  readonly context: readonly ContextMessage[];
  /** The images that the context shows, by file id; a missing one is replaced by a note. */
  readonly images?: ReadonlyMap<string, LoadedImage>;
  /** Facts for this request only; they follow everything else. */
  readonly situation?: string;
  readonly tools: readonly ToolSpec[];
  /** The longest answer to ask for, in tokens; the provider's default when absent. */
  readonly maxOutputTokens?: number | undefined;
  /** The trace of the turn, if it is exported. */
  readonly traceparent?: string | undefined;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Called with each piece of text as it arrives. */
  readonly onDelta: (text: string) => void;
  /** Called when the answer begins again after a failure: all previous pieces are void. */
  readonly onRestart?: () => void;
}

export interface ModelAnswer {
  readonly text: string;
  /** In the order in which to run them; ids are unique within the answer. */
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenUsage;
  /** Set when the answer was truncated because it reached a maximum length. */
  readonly isTruncated?: true;
}

/** Access to models. Failures are AppErrors whose message may be shown to a person. */
export interface ModelProvider {
  readonly name: string;
  answer(request: ModelRequest): Promise<ModelAnswer>;
}
