import type { HistoryEntry } from '../domain/history-entry';
import type { HistoryEvent } from '../domain/context/history-record';

/** The size of an entry and its state, not counting texts, files, tool calls and ids. */
const fixedBytes = 8_192;
const bytesPerEvent = 1_024;
const bytesPerId = 128;
const bytesPerField = 32;
const maxBytesPerCharacter = 3;

/**
 * An upper bound for the size of an entry, computed without traversing it: only the fields that clients,
 * tools and models can make long are measured; all others are short.
 */
export function roughBytesOf({ events, state }: HistoryEntry): number {
  const ids = (state.current?.messageIds.length ?? 0) + (state.settled?.messageIds.length ?? 0);
  let bytes = fixedBytes + ids * bytesPerId;
  for (const event of events) bytes += bytesPerEvent + maxBytesPerCharacter * charactersIn(event);
  return bytes;
}

function charactersIn(event: HistoryEvent): number {
  switch (event.kind) {
    case 'start':
      return 0;
    case 'reset':
      return event.message.length;
    case 'compaction':
      return event.summary.length;
    case 'note':
      return event.text.length;
    case 'tool_result':
      return event.resultJson.length + event.toolCallId.length + event.toolName.length;
    case 'user_message':
      return event.text.length + event.messageIds.length * bytesPerId + lengthOf(event.files);
    case 'assistant_message':
      return event.text.length + event.replyTarget.length + lengthOf(event.toolCalls);
  }
}

function lengthOf(documents: readonly object[]): number {
  let length = 0;
  for (const document of documents)
    for (const value of Object.values(document))
      length += bytesPerField + (typeof value === 'string' ? value.length : 0);
  return length;
}
