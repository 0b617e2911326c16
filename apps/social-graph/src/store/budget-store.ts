import type { Collection, Db } from 'mongodb';
import { AppError } from '@daycare/api';
import { groupCalls, insertAll, type CollectionIndexes } from '@daycare/mongo';
import {
  recentReservations,
  withoutReservation,
  withReservation,
  type BudgetDecision,
  type RequestAccount,
  type RequestBudget,
  type Reservation,
} from '../domain/request-budget';
import { replaceUnchanged } from './replace-unchanged';

interface BudgetDocument extends RequestAccount {
  readonly _id: string;
  readonly version: number;
  readonly expiresAt: Date;
}

/** A request that is about to be written into a tie. */
export interface LimitedRequest {
  readonly userId: string;
  readonly reservation: Reservation;
  readonly decide: (budget: RequestBudget, pendingOut: number) => BudgetDecision;
}

export type BudgetExceeded = Exclude<BudgetDecision, { budget: unknown }>;

/** Counts users' pending requests, including reserved ones, which may still be made. */
export type CountPending = (
  reservationsByUser: ReadonlyMap<string, readonly Reservation[]>,
) => Promise<ReadonlyMap<string, number>>;

type Item =
  | ({ readonly kind: 'reserve' } & LimitedRequest)
  | { readonly kind: 'release'; readonly userId: string; readonly reservation: Reservation };
type Result = BudgetExceeded | 'done';

/** What a batch does with one user's account. */
interface Plan {
  readonly userId: string;
  readonly version: number;
  readonly before: RequestAccount;
  readonly after: RequestAccount;
  readonly results: ReadonlyMap<Item, Result>;
}

/** An account as it was read; `version` is 0 if none is stored. */
interface Loaded {
  readonly version: number;
  readonly account: RequestAccount;
  /** Whether `pending` has just been recounted. */
  readonly isCounted: boolean;
}

const collection = 'request_budgets';
const hourMs = 60 * 60 * 1000;
const maxTries = 50;
const notLoaded: Loaded = {
  version: 0,
  account: { madeAt: [], pending: 0, reserved: [] },
  isCounted: false,
};

export const budgetIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/**
 * Stores each user's budget of friend requests. A reservation is stored before the tie is written, so a crash of this
 * process in between wastes the reservation but never lets the user exceed the limits. A failover of MongoDB may lose
 * the newest reservations, whose requests then do not count towards the hourly limit.
 */
export class BudgetStore {
  readonly #budgets: Collection<BudgetDocument>;
  readonly #submit = groupCalls((items: readonly Item[]) => this.#run(items));

  constructor(
    db: Db,
    private readonly countPending: CountPending,
  ) {
    // The tie is written next, and that write waits for a majority. In a replica set, this majority then has the
    // reservation, too. On a sharded cluster, the two may be on different shards, so a failover of the reservation's
    // shard may lose it although the tie is stored.
    this.#budgets = db.collection(collection, {
      writeConcern: { w: 1, journal: false },
      readConcern: { level: 'local' },
    });
  }

  /** Stores a reservation for a request; if that would exceed a limit, stores nothing and returns the limit. */
  async reserve(request: LimitedRequest): Promise<BudgetExceeded | undefined> {
    const result = await this.#submit({ kind: 'reserve', ...request });
    return result === 'done' ? undefined : result;
  }

  /** Releases the reservation of a request that was not made. */
  async release({ userId, reservation }: LimitedRequest): Promise<void> {
    await this.#submit({ kind: 'release', userId, reservation });
  }

  async #run(items: readonly Item[]): Promise<readonly (Result | Error)[]> {
    const results = new Map<Item, Result>();
    let waiting = items;
    for (let tries = 0; tries < maxTries && waiting.length > 0; tries += 1) {
      for (const plan of await this.#tryAll(waiting))
        for (const [item, result] of plan.results) results.set(item, result);
      waiting = items.filter((item) => !results.has(item));
    }
    return items.map((item) => results.get(item) ?? tooManyAtOnce());
  }

  /**
   * Makes and stores one plan per user. Returns the plans that were stored: all except those whose account another
   * replica has changed.
   */
  async #tryAll(items: readonly Item[]): Promise<Plan[]> {
    const byUser = new Map<string, Item[]>();
    for (const item of items) byUser.set(item.userId, [...(byUser.get(item.userId) ?? []), item]);
    const now = items[0]?.reservation.at ?? new Date();
    const loaded = await this.#load([...byUser.keys()], now);
    const planAll = (): Plan[] =>
      [...loaded].map(([userId, entry]) => planFor(userId, entry, byUser.get(userId) ?? []));
    const refused = planAll()
      .filter(exceedsPending)
      .map(({ userId }) => userId);
    const uncounted = refused.filter((userId) => !loaded.get(userId)?.isCounted);
    if (uncounted.length > 0) await this.#count(uncounted, loaded, now);
    return this.#store(planAll());
  }

  async #load(userIds: readonly string[], now: Date): Promise<Map<string, Loaded>> {
    const found = await this.#budgets
      .find({ _id: { $in: [...userIds] } }, { batchSize: userIds.length + 1 })
      .toArray();
    const loaded = new Map<string, Loaded>(
      found.map(({ _id, version, ...account }) => [_id, { version, account, isCounted: false }]),
    );
    const withoutAccount = userIds.filter((userId) => !loaded.has(userId));
    for (const userId of withoutAccount) loaded.set(userId, notLoaded);
    // Accounts expire but requests do not, so a user without an account may still have pending requests.
    if (withoutAccount.length > 0) await this.#count(withoutAccount, loaded, now);
    return loaded;
  }

  async #count(userIds: readonly string[], loaded: Map<string, Loaded>, now: Date): Promise<void> {
    const accounts = userIds.map((userId) => ({ userId, ...(loaded.get(userId) ?? notLoaded) }));
    const reserved = accounts.map(
      ({ userId, account }) => [userId, recentReservations(account, now)] as const,
    );
    const counts = await this.countPending(new Map(reserved));
    for (const { userId, version, account } of accounts) {
      const pending = counts.get(userId) ?? 0;
      loaded.set(userId, { version, account: { ...account, pending }, isCounted: true });
    }
  }

  async #store(plans: readonly Plan[]): Promise<Plan[]> {
    const [unchanged, changed] = divide(plans, ({ before, after }) => before === after);
    const [added, updated] = divide(changed, ({ version }) => version === 0);
    const inserted = added.length > 0 ? await insertAll(this.#budgets, added.map(toDocument)) : [];
    return [
      ...unchanged,
      ...added.filter((_, index) => inserted[index] === 'stored'),
      ...(updated.length > 0 ? await this.#replace(updated) : []),
    ];
  }

  async #replace(plans: readonly Plan[]): Promise<readonly Plan[]> {
    const replacements = plans.map((plan) => {
      const next = toDocument(plan);
      return { id: next._id, version: plan.version, next };
    });
    const count = await replaceUnchanged(this.#budgets, replacements);
    if (count === plans.length) return plans;
    const ids = plans.map(({ userId }) => userId);
    const found = await this.#budgets.find({ _id: { $in: ids } }).toArray();
    const reserved = new Map(found.map(({ _id, ...account }) => [_id, account.reserved]));
    return plans.filter((plan) => isStored(plan, reserved.get(plan.userId) ?? []));
  }
}

/** Applies a user's items in order. */
function planFor(userId: string, { version, account }: Loaded, items: readonly Item[]): Plan {
  const results = new Map<Item, Result>();
  let after = account;
  for (const item of items) {
    const next = apply(after, item);
    results.set(item, 'exceeded' in next ? next : 'done');
    if (!('exceeded' in next)) after = next;
  }
  return { userId, version, before: account, after, results };
}

function apply(account: RequestAccount, item: Item): RequestAccount | BudgetExceeded {
  if (item.kind === 'release') return withoutReservation(account, item.reservation);
  const decision = item.decide(account, account.pending);
  if ('exceeded' in decision) return decision;
  return withReservation(account, decision.budget, item.reservation);
}

function exceedsPending({ results }: Plan): boolean {
  return [...results.values()].some((result) => result !== 'done' && result.exceeded === 'pending');
}

/** Reports whether a plan was stored, even if another replica has changed the account since. */
function isStored({ results }: Plan, reserved: readonly Reservation[]): boolean {
  return [...results].every(([item, result]) => {
    const isReserved = reserved.some(({ id }) => id === item.reservation.id);
    return result !== 'done' || isReserved === (item.kind === 'reserve');
  });
}

function toDocument({
  userId,
  version,
  after: { madeAt, pending, reserved },
}: Plan): BudgetDocument {
  const lastMs = Math.max(...madeAt.map((at) => at.getTime()), 0);
  const expiresAt = new Date(lastMs + hourMs);
  return { _id: userId, version: version + 1, madeAt, pending, reserved, expiresAt };
}

function divide<T>(all: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((item) => !isFirst(item))];
}

function tooManyAtOnce(): AppError {
  return new AppError('UNAVAILABLE', 'Too many concurrent friend requests; try again');
}
