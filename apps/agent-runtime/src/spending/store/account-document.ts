import { Timestamp, type AnyBulkWriteOperation } from 'mongodb';
import type { Account } from '../domain/account';

export interface AccountDocument extends Omit<Account, 'ownerUserId'> {
  readonly _id: string;
  /** The number of writes so far. A write names the revision that it is based on. */
  readonly revision: number;
  /** Identifies the newest write, so that its writer recognises it. */
  readonly writtenBy: string;
  /** MongoDB's logical clock when a budget was last set or removed, so that replicas' clocks do not matter. */
  readonly budgetsSetAt: Timestamp;
}

/** The mark of an account in which no budget was ever set. Not zero, which the server would replace with its time. */
export const neverSet = new Timestamp({ t: 0, i: 1 });

/** Returns the write that replaces a document with `after`; it changes nothing if there was another write since. */
export function writeOf(
  { _id, revision }: AccountDocument,
  after: AccountDocument,
  setsBudgets: boolean,
): AnyBulkWriteOperation<AccountDocument> {
  const filter = { _id, revision };
  if (!setsBudgets) return { replaceOne: { filter, replacement: after } };
  const stamped = { $mergeObjects: [{ $literal: after }, { budgetsSetAt: '$$CLUSTER_TIME' }] };
  return { updateOne: { filter, update: [{ $replaceWith: stamped }] } };
}

export function toAccount(document: AccountDocument): Account {
  const { _id: ownerUserId, revision: _revision, writtenBy: _writer, ...rest } = document;
  const { budgetsSetAt: _setAt, ...account } = rest;
  return { ownerUserId, ...account };
}

export function toDocument(
  { ownerUserId: _id, ...account }: Account,
  write: Pick<AccountDocument, 'revision' | 'writtenBy' | 'budgetsSetAt'>,
): AccountDocument {
  return { _id, ...account, ...write };
}
