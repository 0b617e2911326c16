import type { HistoryEntry } from '../../domain/history-entry';
import { charactersIn } from './characters-in';

/** The size of an entry and its state, not counting text, files, tool calls and ids. */
const fixedBytes = 8_192;
const bytesPerEvent = 1_024;
const bytesPerId = 128;
const maxBytesPerCharacter = 3;

/**
 * An upper bound for the size of an entry, computed without traversing it: only the fields that clients,
 * tools and models can make long are measured; all others are short.
 */
export function roughBytesOf({ events, state }: HistoryEntry): number {
  const ids = (state.current?.messageIds.length ?? 0) + (state.settled?.messageIds.length ?? 0);
  const eventBytes =
    events.length * bytesPerEvent + charactersIn({ events }) * maxBytesPerCharacter;
  return fixedBytes + ids * bytesPerId + eventBytes;
}
