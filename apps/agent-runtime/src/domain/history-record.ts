/** One entry of an agent's append-only history, as it happened; numbers and times are added when it is stored. */
export type HistoryEvent =
  | { readonly kind: 'start' }
  | ResetEvent
  | UserMessageEvent
  | AssistantMessageEvent
  | ToolResultEvent
  | { readonly kind: 'note'; readonly text: string };

export type HistoryRecord = HistoryEvent & {
  /** Grows by one per record within the agent, beginning with 1. */
  readonly sequence: number;
  readonly recordedAt: Date;
};

/** The context was cleared; it holds what follows. */
export interface ResetEvent {
  readonly kind: 'reset';
  readonly message: string;
  /** The context had reached its limit and the agent reset itself. */
  readonly emergency: boolean;
}

/** Everything that reached the agent from outside. */
export interface UserMessageEvent {
  readonly kind: 'user_message';
  /** As sent: it is escaped only when it is rendered for a model. */
  readonly text: string;
  readonly files: readonly FileReference[];
  /** The messages this record stands for, oldest first. */
  readonly messageIds: readonly string[];
  /** Empty for a person's words. */
  readonly origin: string;
  readonly silent: boolean;
  /** An agent of the same user, or of the owner, said it: it may be taken for an order. */
  readonly trusted?: boolean;
}

export interface AssistantMessageEvent {
  readonly kind: 'assistant_message';
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenUsage;
  readonly provider: string;
  readonly model: string;
  readonly replyTarget: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. */
  readonly argumentsJson: string;
}

export interface ToolResultEvent {
  readonly kind: 'tool_result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly resultJson: string;
  readonly isError: boolean;
  readonly truncated: boolean;
}

export interface FileReference {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
}

/** Tokens as the model provider counted them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
}

export const noUsage: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  };
}

/** Whether the context begins anew after this event. */
export function clearsContext({ kind }: HistoryEvent): boolean {
  return kind === 'start' || kind === 'reset';
}
