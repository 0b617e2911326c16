import { MongoError, type Collection, type Document } from 'mongodb';
import { unknownOutcome } from '@daycare/mongo';

/** The next state of a document, valid only if its version is still the one that was read. */
export interface Replacement {
  readonly id: string;
  /** The version that was read. */
  readonly version: number;
  readonly next: Document;
  /** Available to `carryOver` as `$$change.more`. */
  readonly more?: Document;
}

/**
 * Replaces documents with one command, each only if its version is as given; returns how many were replaced.
 * Throws UNAVAILABLE when the outcome is unknown, because any of them may have been replaced. `carryOver` contains
 * expressions for the fields whose values depend on the stored document. The new documents are literals, in which
 * nothing is evaluated. No id may occur twice.
 */
export async function replaceUnchanged<T extends Document & { _id: string }>(
  collection: Collection<T>,
  replacements: readonly Replacement[],
  carryOver: Document = {},
): Promise<number> {
  const ids = replacements.map(({ id }) => id);
  const changes = replacements.map(({ version, next, more = {} }) => ({ version, next, more }));
  const position = { $indexOfArray: [{ $literal: ids }, '$_id'] };
  const replaced = {
    $cond: [
      { $eq: ['$version', '$$change.version'] },
      { $mergeObjects: ['$$change.next', carryOver] },
      '$$ROOT',
    ],
  };
  const change = { $arrayElemAt: [{ $literal: changes }, position] };
  const collectionOfAny = collection as unknown as Collection<{ _id: string }>;
  try {
    const { modifiedCount } = await collectionOfAny.updateMany({ _id: { $in: ids } }, [
      { $replaceWith: { $let: { vars: { change }, in: replaced } } },
    ]);
    return modifiedCount;
  } catch (error) {
    throw error instanceof MongoError ? unknownOutcome(error) : error;
  }
}
