import { BSON, type Collection } from 'mongodb';
import { AppError } from '@daycare/api';
import { groupCalls, insertAll } from '@daycare/mongo';
import type { HistoryEntry } from '../domain/history-entry';
import { roughBytesOf } from './sizes/rough-bytes';
import { maxInsertMs, toDocument, type HistoryDocument } from './feed-store';

/** An entry that may still change while it waits for its batch. */
export interface PendingEntry {
  readonly agentId: string;
  /** The entry as it would be sent now. */
  readonly peek: () => HistoryEntry;
  /** Called once, when the batch is sent; later events need another entry. May throw. */
  readonly take: () => HistoryEntry;
}

/** Below MongoDB's own limit, because a document that MongoDB refuses would fail every call in the batch. */
const maxEntryBytes = 15 * 1024 * 1024;

/**
 * Lets the entries of concurrent turns share inserts. Each call resolves to whether its own entry was stored: false
 * when the entry's number is taken. It rejects if that is unknown, or if the entry is too large. No insert contains two
 * entries of the same agent, because after a lost lease the first could be refused and the second stored.
 */
export function groupEntries(
  entries: Collection<HistoryDocument>,
): (pending: PendingEntry) => Promise<boolean> {
  return groupCalls((batch) => storeBatch(entries, batch), {
    bytesOf: ({ peek }) => roughBytesOf(peek()),
  });
}

async function storeBatch(
  collection: Collection<HistoryDocument>,
  batch: readonly PendingEntry[],
): Promise<readonly (boolean | Error)[]> {
  const results = new Map<PendingEntry, boolean | Error>();
  for (let rest = batch; rest.length > 0; rest = rest.filter((each) => !results.has(each))) {
    const round = firstOfEachAgent(rest);
    const taken = round.map((each) => ({ each, entry: takeOrError(each) }));
    const sent = taken.flatMap(({ each, entry }) =>
      entry instanceof Error ? [] : [{ each, entry }],
    );
    const outcomes = await insertAll(
      collection,
      sent.map(({ entry }) => toDocument(entry)),
      { maxTimeMs: maxInsertMs },
    );
    for (const { each, entry } of taken) if (entry instanceof Error) results.set(each, entry);
    sent.forEach(({ each }, at) => results.set(each, outcomes[at] === 'stored'));
  }
  return batch.map((each) => results.get(each) ?? false);
}

function firstOfEachAgent(batch: readonly PendingEntry[]): readonly PendingEntry[] {
  const firsts = new Map<string, PendingEntry>();
  for (const each of batch) if (!firsts.has(each.agentId)) firsts.set(each.agentId, each);
  return [...firsts.values()];
}

/** An entry whose estimated size is above this is measured exactly. */
const exactSizeAboveBytes = 1024 * 1024;

function takeOrError({ take }: PendingEntry): HistoryEntry | Error {
  try {
    const entry = take();
    if (roughBytesOf(entry) <= exactSizeAboveBytes) return entry;
    const bytes = BSON.calculateObjectSize(entry);
    if (bytes <= maxEntryBytes) return entry;
    return new AppError('INTERNAL', `A history entry of ${bytes} bytes is too large`);
  } catch (error) {
    return error instanceof Error
      ? error
      : new Error('an entry could not be prepared', { cause: error });
  }
}
