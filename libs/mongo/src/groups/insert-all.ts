import { AppError } from '@daycare/api';
import {
  MongoBulkWriteError,
  type Collection,
  type Document,
  type InsertManyResult,
  type OptionalUnlessRequiredId,
  type WriteError,
} from 'mongodb';
import { duplicateKey } from '../unique/duplicate-key';

/** `duplicate`: a unique index refused the document, so this document or a conflicting one is already stored. */
export type InsertOutcome = 'stored' | 'duplicate';

/** `onDuplicate` requires `ordered`, because otherwise later documents may already be stored when it is called. */
export type InsertOptions<T extends Document> = {
  /** How long MongoDB may work on the command before failing it; it is then unknown which documents were stored. */
  readonly maxTimeMs?: number;
} & (
  | { readonly ordered?: boolean; readonly onDuplicate?: undefined }
  | {
      readonly ordered: true;
      readonly onDuplicate: (document: OptionalUnlessRequiredId<T>) => Promise<void>;
    }
);

/**
 * Inserts documents and returns the outcome for each. Throws if any outcome is unknown, for example after a broken
 * connection, because no caller may then conclude that its document is stored.
 *
 * Sends one command and, with `ordered`, another after each duplicate. With `ordered`, a document is stored only
 * after all earlier ones were stored or were duplicates, and `onDuplicate` is awaited before any later document is
 * stored.
 */
export async function insertAll<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
  { ordered = false, onDuplicate, maxTimeMs }: InsertOptions<T> = {},
): Promise<readonly InsertOutcome[]> {
  const outcomes: InsertOutcome[] = [];
  while (outcomes.length < documents.length) {
    const remaining = documents.slice(outcomes.length);
    const next = await insertSome(collection, remaining, { ordered, maxTimeMs });
    const last = remaining[next.length - 1];
    if (onDuplicate && last && next.at(-1) === 'duplicate') await onDuplicate(last);
    outcomes.push(...next);
  }
  return outcomes;
}

/**
 * Returns the outcomes of all documents or, with `ordered`, of those up to and including the first duplicate.
 */
async function insertSome<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
  { ordered, maxTimeMs }: { readonly ordered: boolean; readonly maxTimeMs: number | undefined },
): Promise<InsertOutcome[]> {
  const options = { ordered, ...(maxTimeMs === undefined ? {} : { maxTimeMS: maxTimeMs }) };
  const refused = await findDuplicates(() => collection.insertMany(documents, options));
  const triedCount = ordered && refused.length > 0 ? Math.min(...refused) + 1 : documents.length;
  return documents
    .slice(0, triedCount)
    .map((_, index) => (refused.includes(index) ? 'duplicate' : 'stored'));
}

async function findDuplicates(insert: () => Promise<InsertManyResult>): Promise<readonly number[]> {
  try {
    await insert();
    return [];
  } catch (error) {
    return duplicatesIn(error);
  }
}

/**
 * Returns the positions of the documents that a unique index refused. Throws for every other error. The driver
 * reports a broken connection as a bulk write error without write errors: nothing is then known about any document.
 */
export function duplicatesIn(error: unknown): readonly number[] {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const writeErrors: WriteError[] = [error.writeErrors].flat();
  const isUnknown = writeErrors.length === 0 || error.result.getWriteConcernError() !== undefined;
  if (isUnknown) throw unknownOutcome(error);
  if (writeErrors.some(({ code }) => code !== duplicateKey)) throw error;
  return writeErrors.map(({ index }) => index);
}

/** Returns the error for a call whose write may or may not have happened. */
export function unknownOutcome(cause: Error): AppError {
  const text = 'It is not known whether this was stored; retry with the same request id';
  return new AppError('UNAVAILABLE', text, {}, { cause });
}
