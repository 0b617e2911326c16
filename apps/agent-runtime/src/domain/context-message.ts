import type { FileReference, ToolCall } from './history-record';

/** One message of what a model is given. Text is rendered: what came from outside cannot pose as anything else. */
export type ContextMessage =
  | {
      readonly role: 'user';
      readonly text: string;
      readonly files: readonly FileReference[];
      /** An agent of the same user, or of its owner, said it. */
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
