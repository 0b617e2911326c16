import type { HistoryEntry } from '../domain/history-entry';

/** How many characters of text an entry has, for pages that are bounded by size. */
export function charactersIn({ events }: Pick<HistoryEntry, 'events'>): number {
  return events.reduce((sum, event) => sum + lengthOf(event), 0);
}

function lengthOf(event: HistoryEntry['events'][number]): number {
  if (event.kind === 'tool_result') return event.resultJson.length;
  if (event.kind === 'compaction') return event.summary.length;
  if (event.kind === 'start' || event.kind === 'reset') return 0;
  return event.text.length;
}
