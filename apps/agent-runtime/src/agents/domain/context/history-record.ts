import type { Trust } from '@daycare/api';

/** Something that happened to an agent; its sequence number and time are added when it is stored. */
export type HistoryEvent =
  | { readonly kind: 'start' }
  | ResetEvent
  | CompactionEvent
  | UserMessageEvent
  | AssistantMessageEvent
  | ToolResultEvent
  | NoteEvent;

export type HistoryRecord = HistoryEvent & {
  /** Counts the agent's records, starting at 1. */
  readonly sequence: number;
  readonly recordedAt: Date;
};

/** Information for the person; models do not see it. */
export interface NoteEvent {
  readonly kind: 'note';
  readonly text: string;
  /** The fallback, as `provider/id`, that is used instead of the agent's first choice from here on. */
  readonly fallbackModel?: string;
  /** Set when the work on the current messages ended here without an answer. */
  readonly endsWork?: true;
}

/** The context was cleared; a new one begins here, with `message` unless that is empty. */
export interface ResetEvent {
  readonly kind: 'reset';
  readonly message: string;
  /** Whether the agent reset itself because its context had grown too long. */
  readonly emergency: boolean;
  /** Set when the message may contain something private. */
  readonly isPrivate?: true;
  /** The guest or outsider whose words the message may contain. */
  readonly foreignWriter?: string;
  /** The agent that wrote the message; absent when a person did, or when there is no message. */
  readonly byAgentId?: string;
  /** The sequence number of the current message, if it stays in the context. */
  readonly kept?: number;
}

/** The older part of the context was replaced by a summary; the records themselves stay in the history. */
export interface CompactionEvent {
  readonly kind: 'compaction';
  /** Empty when there is no summary; the older part was then left out. */
  readonly summary: string;
  /** Records from this sequence number on stay in the context as they are. */
  readonly keptFrom: number;
  /** The current message's sequence number, if it is below `keptFrom`; that message stays in the context as well. */
  readonly kept?: number;
  /** The lowest trust of the replaced context. */
  readonly trust: Trust;
  /** Set when the context contained something private. */
  readonly isPrivate?: true;
}

/** Anything that was sent to the agent. */
export interface UserMessageEvent {
  readonly kind: 'user_message';
  /** As sent; escaped only when rendered for a model. */
  readonly text: string;
  readonly files: readonly AttachedFile[];
  /** The messages merged into this record, oldest first. */
  readonly messageIds: readonly string[];
  /** Empty for a person's message. */
  readonly origin: string;
  readonly silent: boolean;
  /** A readable name for the origin; absent when the origin itself is readable. */
  readonly originName?: string;
  /** Meant for the person: the connector shows it to them. */
  readonly forPerson?: true;
  /**
   * Set on a system message that is treated as the user's own words, such as one from another of the user's agents,
   * from the owner's agent or from a schedule; it may give instructions.
   */
  readonly trusted?: boolean;
  /** Set when the text is private to the user and not shown to guests. */
  readonly isPrivate?: true;
  /** The guest or outsider whose words the message contains; absent when there are none. */
  readonly foreignWriter?: string;
}

export interface AssistantMessageEvent {
  readonly kind: 'assistant_message';
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenUsage;
  /** Set when the model was sent a shortened context, so that `usage` does not show the size of the whole one. */
  readonly wasCut?: true;
  readonly provider: string;
  readonly model: string;
  readonly replyTarget: string;
  /** The files that the agent attached to the message; absent when there are none. */
  readonly files?: readonly FileReference[];
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
  /**
   * The lowest trust of the authors of the text that was read; absent when all of it is the user's own.
   */
  readonly provenance?: Trust;
  /** Set when the text that was read is private to the user and not shown to guests. */
  readonly isPrivate?: true;
  /** The guest or outsider whose messages were read; absent when there were none. */
  readonly foreignWriter?: string;
  /** The files that the call attached to the answer; absent when there are none. */
  readonly files?: readonly FileReference[];
}

export interface FileReference {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
}

/** A file that came with a message, with the parts of it that are sent to a model. */
export interface AttachedFile extends FileReference {
  /** The beginning of a text file that is sent with the message; absent for other files. */
  readonly text?: string;
  /** Set when `text` is the whole file. */
  readonly isWhole?: true;
  /** The size of an image in pixels; absent when unknown. */
  readonly dimensions?: ImageDimensions;
  /**
   * The lower of the trust of the file's author and of the turn that stored it; absent when both are the user's own.
   */
  readonly writtenBy?: Trust;
}

export interface ImageDimensions {
  readonly width: number;
  readonly height: number;
}

/** Tokens as counted by the model provider; the usage of a call may also contain estimates. */
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

/** Reports whether a new context begins with this event. */
export function clearsContext({ kind }: HistoryEvent): boolean {
  return kind === 'start' || kind === 'reset';
}

/** Reports whether the event puts something private into the context. */
export function isPrivate(event: HistoryEvent): boolean {
  return 'isPrivate' in event;
}

/** Returns the guest or outsider whose words the event puts into the context. */
export function foreignWriterOf(event: HistoryEvent): string | undefined {
  return 'foreignWriter' in event ? event.foreignWriter : undefined;
}
