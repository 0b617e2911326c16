/** A message of a request in OpenAI's wire format. */
export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
}

/** The messages of a request, without the situation (time, user, who is asking) that ends each one. */
export function conversationOf(body: unknown): readonly WireMessage[] {
  const { messages } = body as { readonly messages: readonly WireMessage[] };
  return messages.slice(0, -1);
}
