import type { HistoryEvent } from './history-record';
import type { ContextMessage } from './context-message';
import { replaceInlineImages } from './inline-images';
import { describeFile, renderEvent } from './render-event';

const charactersPerToken = 4;
/** What a message takes beyond its text: its role, its ids and what separates it from the next. */
const tokensPerMessage = 8;

/** Estimates the tokens of a text as it would be sent. Characters are UTF-16 units. */
export function estimateTokens(text: string): number {
  return tokensOf(replaceInlineImages(text).length);
}

/** Estimates what a record adds to the context, as it is sent; `start` and notes add nothing. */
export function estimateRecordTokens(event: HistoryEvent): number {
  const message = renderEvent(event);
  return message ? tokensOf(charactersOf(message)) : 0;
}

/** Estimates what messages take in a request. */
export function estimateMessages(messages: readonly ContextMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + tokensOf(charactersOf(message)) + tokensPerMessage,
    0,
  );
}

/** The characters of a message that a model is sent. */
export function charactersOf(message: ContextMessage): number {
  switch (message.role) {
    case 'user':
      return lengthOf([message.text, ...message.files.map(describeFile)]);
    case 'assistant':
      return lengthOf([
        message.text,
        ...message.toolCalls.flatMap(({ name, argumentsJson }) => [name, argumentsJson]),
      ]);
    case 'tool':
      return message.resultJson.length;
  }
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
