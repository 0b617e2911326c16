import { insertAll, type InsertOutcome } from '@daycare/mongo';
import type { Collection } from 'mongodb';
import { textOf } from '../domain/inbox-item';
import type { InboxRow } from './inbox-row';

/** Inserts all lists in order. Nothing is stored after a row that failed, so that no row overtakes an earlier one. */
export async function insertLists(
  rows: Collection<InboxRow>,
  lists: readonly (readonly InboxRow[])[],
): Promise<readonly (readonly InsertOutcome[])[]> {
  const onDuplicate = (row: InboxRow): Promise<void> => routeDuplicate(rows, row);
  const outcomes = await insertAll(rows, lists.flat(), { ordered: true, onDuplicate });
  let end = 0;
  return lists.map((list) => outcomes.slice(end, (end += list.length)));
}

/**
 * Another replica may have stored the row without recipients. Such a row gets its recipients before later rows of
 * this batch are stored, so that they do not overtake it.
 */
async function routeDuplicate(
  rows: Collection<InboxRow>,
  { _id, leadId, shard, waitingFor, wakeKey }: InboxRow,
): Promise<void> {
  if (leadId === undefined || shard === undefined || !waitingFor || !wakeKey) return;
  const $set = { leadId, shard, waitingFor, wakeKey };
  await rows.updateOne({ _id, unrouted: true }, { $set, $unset: { unrouted: 1 } });
}

/**
 * Estimates the rows' size: three bytes per UTF-16 unit of an item's own text, and 4 KiB for each row's other fields.
 * The text of attached files and the arguments of decided calls are not counted.
 */
export function bytesOf(rows: readonly InboxRow[]): number {
  return rows.reduce((sum, { item }) => sum + (item ? 3 * textOf(item).length : 0) + 4_096, 0);
}
