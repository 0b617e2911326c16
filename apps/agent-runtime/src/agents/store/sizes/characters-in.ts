import type { HistoryEntry } from '../../domain/history-entry';

type HistoryEvent = HistoryEntry['events'][number];

/** An upper bound for an id's length, and what any other field adds besides its text. */
const charactersPerId = 128;
const charactersPerField = 32;

/**
 * Estimates how many characters an entry has in the fields that clients, tools and models can make long, for pages
 * that are limited by size.
 */
export function charactersIn({ events }: Pick<HistoryEntry, 'events'>): number {
  return events.reduce((sum, event) => sum + lengthOf(event), 0);
}

function lengthOf(event: HistoryEvent): number {
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
      return (
        event.text.length + event.messageIds.length * charactersPerId + lengthOfFields(event.files)
      );
    case 'assistant_message':
      return event.text.length + event.replyTarget.length + lengthOfFields(event.toolCalls);
  }
}

function lengthOfFields(documents: readonly object[]): number {
  let length = 0;
  for (const document of documents)
    for (const value of Object.values(document))
      length += charactersPerField + (typeof value === 'string' ? value.length : 0);
  return length;
}
