import type { FileReference, HistoryEvent } from './history-record';

/** The text that an image counts as, whatever its size. */
export const imagePlaceholder = '<image>';

const charactersPerToken = 4;

/** Estimates the tokens of a text; inline image data counts as a placeholder. Characters are UTF-16 units. */
export function estimateTokens(text: string): number {
  return tokensIn([text]);
}

/** Estimates what a record adds to the context; `start` and notes add nothing. */
export function estimateRecordTokens(event: HistoryEvent): number {
  return tokensIn(textsOf(event));
}

function textsOf(event: HistoryEvent): readonly string[] {
  switch (event.kind) {
    case 'user_message':
      return [event.text, ...event.files.map(fileText)];
    case 'assistant_message':
      return [event.text, ...event.toolCalls.flatMap((call) => [call.name, call.argumentsJson])];
    case 'tool_result':
      return [event.resultJson];
    case 'reset':
      return [event.message];
    case 'start':
    case 'note':
      return [];
  }
}

function fileText({ mimeType, name }: FileReference): string {
  return mimeType.toLowerCase().startsWith('image/') ? imagePlaceholder : name;
}

function tokensIn(texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + countCharacters(text), 0);
  return Math.ceil(characters / charactersPerToken);
}

// Every part is bounded, so that a text full of partial matches is still scanned once. JSON may escape slashes.
const imageHead =
  /data:image\\?\/[a-z0-9.+-]{1,64}(?:;[a-z0-9-]{1,64}=[a-z0-9._-]{1,64}){0,4};base64,/gi;

function countCharacters(text: string): number {
  let count = text.length;
  const heads = new RegExp(imageHead);
  for (let head = heads.exec(text); head; head = heads.exec(text)) {
    const end = endOfBase64(text, heads.lastIndex);
    count += imagePlaceholder.length - (end - head.index);
    heads.lastIndex = end;
  }
  return count;
}

const base64Codes: ReadonlySet<number> = new Set(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=', (character) =>
    character.charCodeAt(0),
  ),
);
const slashCode = '/'.charCodeAt(0);
const backslashCode = '\\'.charCodeAt(0);

/** Scans by hand: a regular expression could overflow the stack on megabytes. */
function endOfBase64(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const isEscapedSlash = code === backslashCode && text.charCodeAt(at + 1) === slashCode;
    if (!isEscapedSlash && !base64Codes.has(code)) return at;
    at += 1;
  }
  return at;
}
