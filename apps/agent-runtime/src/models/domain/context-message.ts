import type { FileReference, ToolCall } from '../../agents';

/** One message of a model's context. Text is rendered, so that no message can pose as another kind. */
export type ContextMessage =
  | {
      readonly role: 'user';
      readonly text: string;
      readonly files: readonly FileReference[];
      /** Sent by an agent of the same user or its owner. */
      readonly trusted?: boolean;
    }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly resultJson: string;
      readonly isError: boolean;
    };
