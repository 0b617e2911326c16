/** A message in a request in OpenAI's wire format. */
export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
}

/** Returns a request's messages except the last, which describes the situation (time, user, who is asking). */
export function conversationOf(body: unknown): readonly WireMessage[] {
  const { messages } = body as { readonly messages: readonly WireMessage[] };
  return messages.slice(0, -1);
}
