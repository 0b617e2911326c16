import type { FileReference, ToolCall } from './history-record';

/** The sequence of the record that a message of a context renders; absent for one that renders none. */
interface FromRecord {
  readonly sequence?: number;
}

/** One message of a model's context. Text is rendered, so that no message can pose as another kind. */
export type ContextMessage =
  | (FromRecord & {
      readonly role: 'user';
      readonly text: string;
      readonly files: readonly FileReference[];
      /** Sent by an agent of the same user or its owner. */
      readonly trusted?: boolean;
      /** Present on the message that replaces the earlier conversation: the summary itself. */
      readonly summary?: string;
    })
  | (FromRecord & {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      /** What the provider counted in the request that it answers, as long as the context still begins in the same way. */
      readonly inputTokens?: number;
    })
  | (FromRecord & {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly resultJson: string;
      readonly isError: boolean;
    });
