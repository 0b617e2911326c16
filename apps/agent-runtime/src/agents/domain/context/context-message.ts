import type { AttachedFile, ImageDimensions, ToolCall } from './history-record';

/** The sequence number of the record that a context message was rendered from; absent if there is no such record. */
interface FromRecord {
  readonly sequence?: number;
}

/** An image as it is sent to a model. */
export interface ShownImage extends ImageDimensions {
  readonly fileId: string;
  /** How many tokens the provider counts for it. */
  readonly tokens: number;
}

/**
 * One message of a model's context. Text sent to the agent is already escaped, so that it cannot pose as another kind.
 */
export type ContextMessage =
  | (FromRecord & {
      readonly role: 'user';
      readonly text: string;
      readonly files: readonly AttachedFile[];
      /** The files that are shown to the model as images. */
      readonly images?: readonly ShownImage[];
      /** Set on a system message that is treated as the user's own words; it may give instructions. */
      readonly trusted?: boolean;
      /** Present on the message that replaces the earlier conversation: the summary itself. */
      readonly summary?: string;
    })
  | (FromRecord & {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      /**
       * The provider's token count for the request that this message answers; absent if it is unknown, if the request
       * had a shortened context, and once an earlier part of the context has been replaced.
       */
      readonly inputTokens?: number;
    })
  | (FromRecord & {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly resultJson: string;
      readonly isError: boolean;
    });
