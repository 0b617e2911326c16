import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import { AppError, limitEntries } from '@daycare/api';
import { groupCalls } from '@daycare/mongo';
import type { Account } from '../domain/account';
import { toAccount, toDocument, writeOf, type AccountDocument } from './account-document';

/**
 * Returns the next account and the caller's result. Must have no side effects, because it is called again after a
 * conflict.
 */
export type Decide<T> = (account: Account) => Decision<T>;

export interface Decision<T> {
  /** The same object when nothing has to be stored. */
  readonly account: Account;
  readonly result: T;
  /** Set when the decision must be based on the stored account rather than on a cached one. */
  readonly needsFresh?: boolean;
}

interface Change {
  readonly ownerUserId: string;
  readonly decide: Decide<unknown>;
}

/** The changes to one account in a batch, all based on the same document. */
interface Round {
  readonly changes: readonly Change[];
  readonly before: AccountDocument;
  readonly after: AccountDocument;
  readonly results: ReadonlyMap<Change, unknown>;
}

const maxRemembered = 10_000;
const maxTries = 50;

/**
 * Changes accounts. Concurrent changes share database commands; changes to the same account are decided one after
 * another. A write takes effect only if the account has not changed since it was read; otherwise its changes are
 * decided again.
 */
export class AccountWriter {
  /** Accounts as this replica last read or wrote them; another replica may have written since. */
  readonly #recent = new LRUCache<string, AccountDocument>(limitEntries(maxRemembered));
  readonly #change: (change: Change) => Promise<unknown>;

  constructor(private readonly accounts: Collection<AccountDocument>) {
    this.#change = groupCalls((batch) => this.#runBatch(batch));
  }

  /** Changes an account; returns undefined when there is none. */
  async change<T>(ownerUserId: string, decide: Decide<T>): Promise<T | undefined> {
    return (await this.#change({ ownerUserId, decide })) as T | undefined;
  }

  forget(ownerUserId: string): void {
    this.#recent.delete(ownerUserId);
  }

  async #runBatch(batch: readonly Change[]): Promise<readonly unknown[]> {
    const results = new Map<Change, unknown>();
    let open = batch;
    try {
      for (let tries = 0; open.length > 0; tries += 1) {
        if (tries === maxTries)
          throw new AppError(
            'UNAVAILABLE',
            'Too many concurrent calls are using this budget; try again',
          );
        for (const round of await this.#tryOnce(open))
          for (const change of round.changes) results.set(change, round.results.get(change));
        open = open.filter((change) => !results.has(change));
      }
    } catch (error) {
      // The outcome of the write is unknown, so the remembered accounts may be outdated.
      for (const { ownerUserId } of batch) this.#recent.delete(ownerUserId);
      throw error;
    }
    return batch.map((change) => results.get(change));
  }

  /** Returns the completed rounds; the others conflicted with another writer. */
  async #tryOnce(open: readonly Change[]): Promise<readonly Pick<Round, 'changes' | 'results'>[]> {
    const byOwner = groupByOwner(open);
    await this.#load([...byOwner.keys()].filter((id) => !this.#recent.has(id)));
    const stale = [...byOwner].filter(([id, changes]) => this.#decide(id, changes)?.needsFresh);
    await this.#load(stale.map(([id]) => id));
    const rounds = [...byOwner].map(([id, changes]) => ({
      changes,
      round: this.#decide(id, changes),
    }));
    const missing = rounds.filter(({ round }) => round === undefined);
    const decided = rounds.flatMap(({ round }) => (round ? [round] : []));
    const stored = await this.#store(decided);
    return [...missing.map(({ changes }) => ({ changes, results: new Map() })), ...stored];
  }

  #decide(
    ownerUserId: string,
    changes: readonly Change[],
  ): (Round & { readonly needsFresh: boolean }) | undefined {
    const before = this.#recent.get(ownerUserId);
    if (!before) return undefined;
    const first = toAccount(before);
    const results = new Map<Change, unknown>();
    let account = first;
    let needsFresh = false;
    for (const change of changes) {
      const decision = change.decide(account);
      account = decision.account;
      needsFresh ||= decision.needsFresh ?? false;
      results.set(change, decision.result);
    }
    const { revision, budgetsSetAt } = before;
    const write = { revision: revision + 1, writtenBy: randomUUID(), budgetsSetAt };
    const after = account === first ? before : toDocument(account, write);
    return { changes, before, after, results, needsFresh };
  }

  async #store(rounds: readonly Round[]): Promise<readonly Round[]> {
    const writes = rounds.filter(({ before, after }) => after !== before);
    if (writes.length === 0) return rounds;
    const { matchedCount } = await this.accounts.bulkWrite(
      writes.map((round) => writeOf(round.before, round.after, setsBudgets(round))),
      { ordered: false },
    );
    for (const round of writes)
      // The server has set a time in this account, so the account has to be read again.
      if (setsBudgets(round)) this.#recent.delete(round.after._id);
      else this.#recent.set(round.after._id, round.after);
    if (matchedCount === writes.length) return rounds;
    await this.#load(writes.map(({ after }) => after._id));
    return rounds.filter(
      ({ before, after }) =>
        after === before || this.#recent.get(after._id)?.writtenBy === after.writtenBy,
    );
  }

  async #load(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of ids) this.#recent.delete(id);
    const found = await this.accounts.find({ _id: { $in: [...ids] } }).toArray();
    for (const document of found) this.#recent.set(document._id, document);
  }
}

function setsBudgets({ before, after }: Round): boolean {
  return after.changedAt !== before.changedAt;
}

function groupByOwner(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const group = groups.get(change.ownerUserId);
    if (group) group.push(change);
    else groups.set(change.ownerUserId, [change]);
  }
  return groups;
}
