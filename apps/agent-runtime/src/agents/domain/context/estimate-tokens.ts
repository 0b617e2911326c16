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
  let sum = 0;
  for (const message of messages) sum += tokensOf(charactersOf(message)) + tokensPerMessage;
  return sum;
}

/** The characters of a message that a model is sent. Called for every message of a context before each call. */
export function charactersOf(message: ContextMessage): number {
  switch (message.role) {
    case 'user': {
      let { length } = message.text;
      for (const file of message.files) length += describeFile(file).length;
      return length;
    }
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

function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
