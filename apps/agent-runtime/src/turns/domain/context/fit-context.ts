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
 * The context without its oldest images and with its longest messages cut in the middle, so that it fits into
 * the room; unchanged if it already fits.
 */
export function fitContext(
  given: readonly ContextMessage[],
  roomTokens: number,
): readonly ContextMessage[] {
  const context = withoutOldImages(given, estimateMessages(given) - roomTokens);
  const sizes = context.map(charactersOf);
  const tokens = estimateMessages(context);
  if (tokens <= roomTokens) return context;
  // Each message is rounded up to whole tokens, even after it was cut.
  const fixed = (tokens + context.length) * charactersPerToken - sum(sizes);
  const cap = lengthCap(sizes, roomTokens * charactersPerToken - fixed);
  return context.map((message) => cutMessage(message, cap));
}

/** Removes the images of the oldest messages, until enough tokens are free or no images are left. */
function withoutOldImages(
  context: readonly ContextMessage[],
  excess: number,
): readonly ContextMessage[] {
  if (excess <= 0) return context;
  let left = excess;
  return context.map((message) => {
    const tokens = imageTokensOf(message);
    if (message.role !== 'user' || tokens === 0 || left <= 0) return message;
    left -= tokens;
    const { images: _images, ...rest } = message;
    return rest;
  });
}

/** The length to which texts must be cut so that all of them together have at most `room` characters. */
function lengthCap(sizes: readonly number[], room: number): number {
  const sorted = [...sizes].sort((one, other) => one - other);
  let left = Math.max(0, room);
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (size > share) return Math.max(minCharacters, share);
    left -= size;
  }
  return Infinity;
}

function cutMessage(message: ContextMessage, cap: number): ContextMessage {
  if (charactersOf(message) <= cap) return message;
  switch (message.role) {
    case 'user':
      return cutUserMessage(message, cap);
    case 'tool':
      return { ...message, resultJson: cutMiddle(message.resultJson, cap) };
    case 'assistant': {
      const share = Math.floor(cap / (message.toolCalls.length + 1));
      const toolCalls = message.toolCalls.map((call) => cutCall(call, share));
      return { ...message, text: cutMiddle(message.text, share), toolCalls };
    }
  }
}

/**
 * Removes the texts of the files and, if the lines that name the files are still too long, these lines as
 * well.
 */
function cutUserMessage(message: UserMessage, cap: number): ContextMessage {
  const files = message.files.map(({ text: _text, isWhole: _isWhole, ...file }) => file);
  const withoutTexts = { ...message, files };
  const nameCharacters = charactersOf({ ...withoutTexts, text: '' });
  if (nameCharacters > cap / 2)
    return { ...message, text: cutMiddle(message.text, cap), files: [] };
  return { ...withoutTexts, text: cutMiddle(message.text, cap - nameCharacters) };
}

/** Arguments must stay a JSON object. */
function cutCall(call: ToolCall, cap: number): ToolCall {
  const { length } = call.argumentsJson;
  if (length <= cap) return call;
  return { ...call, argumentsJson: JSON.stringify({ leftOut: `${length} characters` }) };
}

/** The beginning and the end of a text, with a note between them about the missing part. */
export function cutMiddle(text: string, maxCharacters: number): string {
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
