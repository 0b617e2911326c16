import type { HistoryEvent } from './history-record';
import type { ContextMessage } from './context-message';
import { foldContext } from './fold-context';
import { replaceInlineImages } from './inline-images';
import { renderEvent } from './render-event';
import { renderFiles } from './render-files';

const charactersPerToken = 4;
/** The tokens of a message beyond its text: its role, its ids and its separators. */
const tokensPerMessage = 8;

/** Estimates the tokens of text as it would be sent. Characters are UTF-16 units. */
export function estimateTokens(text: string): number {
  return tokensOf(replaceInlineImages(text).length);
}

/** Estimates the tokens that a record adds to the context, as it is sent; records that are not sent add none. */
export function estimateRecordTokens(event: HistoryEvent): number {
  const message = renderEvent(event);
  return message ? tokensOf(charactersOf(message)) : 0;
}

/** Estimates how many tokens messages take up in a request. */
export function estimateMessages(messages: readonly ContextMessage[]): number {
  let sum = 0;
  for (const message of messages) sum += estimateMessage(message);
  return sum;
}

/** Estimates the tokens of a whole context. Usually only its new messages are measured; see `foldContext`. */
export const estimateContext = foldContext(0, (sum, message) => sum + estimateMessage(message));

function estimateMessage(message: ContextMessage): number {
  return tokensOf(charactersOf(message)) + tokensPerMessage + imageTokensOf(message);
}

/** Counts the tokens that a message's images take up in a request. */
export function imageTokensOf(message: ContextMessage): number {
  if (message.role !== 'user' || !message.images) return 0;
  return message.images.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Counts the tokens of all images in a context. Usually only its new messages are read; see `foldContext`. */
export const imageTokensIn = foldContext(0, (sum, message) => sum + imageTokensOf(message));

/** Counts the characters of a message as it is sent to a model. */
export function charactersOf(message: ContextMessage): number {
  switch (message.role) {
    case 'user':
      return message.text.length + (message.files.length > 0 ? filesLength(message) : 0);
    case 'assistant': {
      let { length } = message.text;
      for (const { name, argumentsJson } of message.toolCalls)
        length += name.length + argumentsJson.length;
      return length;
    }
    case 'tool':
      return message.resultJson.length;
  }
}

/** A message never changes, so its files are rendered only once to be measured. */
const measuredFiles = new WeakMap<ContextMessage, number>();

function filesLength(message: Extract<ContextMessage, { role: 'user' }>): number {
  let length = measuredFiles.get(message);
  if (length === undefined) {
    length = renderFiles(message).reduce((sum, text) => sum + text.length, 0);
    measuredFiles.set(message, length);
  }
  return length;
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
