import type { Account } from '../domain/account';

export interface AccountDocument extends Omit<Account, 'ownerUserId'> {
  readonly _id: string;
  /** Counts the writes; each names the one it was decided on. */
  readonly revision: number;
  /** Identifies the newest write, so that its writer recognises it. */
  readonly writtenBy: string;
}

export function toAccount(document: AccountDocument): Account {
  const { _id: ownerUserId, revision: _revision, writtenBy: _writer, ...account } = document;
  return { ownerUserId, ...account };
}

export function toDocument(
  { ownerUserId: _id, ...account }: Account,
  write: Pick<AccountDocument, 'revision' | 'writtenBy'>,
): AccountDocument {
  return { _id, ...account, ...write };
}
