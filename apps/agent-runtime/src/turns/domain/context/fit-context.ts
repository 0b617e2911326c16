import {
  charactersOf,
  estimateMessages,
  imageTokensOf,
  type ContextMessage,
  type ToolCall,
} from '../../../agents';

type UserMessage = Extract<ContextMessage, { role: 'user' }>;

const charactersPerToken = 4;
const minCharacters = 200;

/**
 * Shortens a context to at most `maxTokens`: removes the oldest images and, if that is not enough, truncates the
 * longest messages in the middle. Part of every message remains, even if the context then exceeds the limit. A context
 * that fits is returned unchanged.
 */
export function fitContext(
  fullContext: readonly ContextMessage[],
  maxTokens: number,
): readonly ContextMessage[] {
  const context = withoutOldImages(fullContext, estimateMessages(fullContext) - maxTokens);
  const sizes = context.map(charactersOf);
  const tokens = estimateMessages(context);
  if (tokens <= maxTokens) return context;
  // The size of each message is rounded up to whole tokens, even after it has been truncated.
  const fixedCharacters = (tokens + context.length) * charactersPerToken - sum(sizes);
  const cap = lengthCap(sizes, maxTokens * charactersPerToken - fixedCharacters);
  return context.map((message) => truncateMessage(message, cap));
}

/** Removes the images of the oldest messages, until enough tokens are free or no images are left. */
function withoutOldImages(
  context: readonly ContextMessage[],
  excess: number,
): readonly ContextMessage[] {
  if (excess <= 0) return context;
  let remainingExcess = excess;
  return context.map((message) => {
    const tokens = imageTokensOf(message);
    if (message.role !== 'user' || tokens === 0 || remainingExcess <= 0) return message;
    remainingExcess -= tokens;
    const { images: _images, ...rest } = message;
    return rest;
  });
}

/**
 * Returns the length to truncate messages to so that together they have at most `maxCharacters`; never less than
 * `minCharacters`.
 */
function lengthCap(sizes: readonly number[], maxCharacters: number): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  let remainingCharacters = Math.max(0, maxCharacters);
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(remainingCharacters / (sorted.length - index));
    if (size > share) return Math.max(minCharacters, share);
    remainingCharacters -= size;
  }
  return Infinity;
}

function truncateMessage(message: ContextMessage, cap: number): ContextMessage {
  if (charactersOf(message) <= cap) return message;
  switch (message.role) {
    case 'user':
      return truncateUserMessage(message, cap);
    case 'tool':
      return { ...message, resultJson: truncateMiddle(message.resultJson, cap) };
    case 'assistant': {
      const share = Math.floor(cap / (message.toolCalls.length + 1));
      const toolCalls = message.toolCalls.map((call) => truncateCall(call, share));
      return { ...message, text: truncateMiddle(message.text, share), toolCalls };
    }
  }
}

/**
 * Truncates the text, after removing the content of the files and, if the lines that name the files are still too
 * long, these lines as well.
 */
function truncateUserMessage(message: UserMessage, cap: number): ContextMessage {
  const files = message.files.map(({ text: _text, isWhole: _isWhole, ...file }) => file);
  const withoutContent = { ...message, files };
  const nameCharacters = charactersOf({ ...withoutContent, text: '' });
  if (nameCharacters > cap / 2)
    return { ...message, text: truncateMiddle(message.text, cap), files: [] };
  return { ...withoutContent, text: truncateMiddle(message.text, cap - nameCharacters) };
}

/** Replaces arguments that are too long with a short JSON object, because providers require valid JSON. */
function truncateCall(call: ToolCall, cap: number): ToolCall {
  const { length } = call.argumentsJson;
  if (length <= cap) return call;
  return { ...call, argumentsJson: JSON.stringify({ leftOut: `${length} characters` }) };
}

/** Returns the beginning and the end of the text, with a note between them about the missing part. */
export function truncateMiddle(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const note = `\n[… ${text.length - maxCharacters} characters left out …]\n`;
  const half = Math.max(0, Math.floor((maxCharacters - note.length) / 2));
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, '');
  const tail = half > 0 ? text.slice(-half).replace(/^[\udc00-\udfff]/, '') : '';
  return `${head}${note}${tail}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
