import { AppError } from '@daycare/api';
import { duplicatesIn, violatedIndex } from '@daycare/mongo';
import type { ClientSession, Collection } from 'mongodb';
import { WaitingCounter, type CountInInboxes } from './waiting-counter';
import { KnownTails } from './known-tails';
import { findTails, type Tails } from './lane-tails';
import type { UnplacedRow } from './message-draft';
import type { OpenRow, OutboxRow } from './outbox-row';
import { placeRows, type Placing, type Refused } from './place-rows';

export interface AppendResult {
  readonly id: string;
  /** `duplicate`: the id was accepted before and nothing was stored. */
  readonly outcome: 'accepted' | 'duplicate';
}

/** The outcome of some rows; one without an outcome lost every race for its place. */
export interface Appended {
  readonly accepted: readonly OpenRow[];
  readonly duplicates: ReadonlySet<UnplacedRow>;
  /** Those that are over their budget. */
  readonly refused: ReadonlyMap<UnplacedRow, AppError>;
}

interface AppendTails extends Tails {
  /** Whether any of them was remembered: another replica may have appended since. */
  readonly isRemembered: boolean;
}

type RefusedBy = 'nothing' | '_id_' | 'lane';

/** How many races in a row may be lost to other replicas. */
const maxLostRaces = 50;

/**
 * Places rows behind the newest ones of their lanes. Two rows cannot be placed behind the same one, since a
 * position is unique; the loser retries. So each lane is one chain, in which every row names the one before it
 * unless that has its receipt. What this process stored last is remembered instead of looked up.
 */
export class LaneAppender {
  readonly #waiting: WaitingCounter;
  readonly #known = new KnownTails();

  constructor(
    private readonly rows: Collection<OutboxRow>,
    countInInboxes: CountInInboxes = async () => new Map(),
  ) {
    this.#waiting = new WaitingCounter(rows, countInInboxes);
  }

  /** Stores rows in their order. If a row loses every race, later rows of its lane are not stored either. */
  async append(rows: readonly UnplacedRow[]): Promise<Appended> {
    const accepted: OpenRow[] = [];
    const duplicates = new Set<UnplacedRow>();
    const refused = new Map<UnplacedRow, AppError>();
    let rest = rows;
    let known: ReadonlySet<string> = new Set();
    for (let lostRaces = 0; rest.length > 0 && lostRaces < maxLostRaces;) {
      rest = withoutKnown(rest, known, duplicates);
      const tails = await this.#findTails(rest);
      const placing = await this.#place(rest, tails);
      await this.#sortOut(placing.refused, duplicates, refused);
      const { stored, refusedBy } = await this.#insert(placing.placed, tails);
      accepted.push(...placing.placed.slice(0, stored));
      rest = placing.placedOf.slice(stored);
      // Retries come together, so the first duplicate is a reason to look for all.
      if (refusedBy === '_id_') known = await this.#findKnown(rest);
      if (refusedBy === 'lane') rest = firstLaneLast(rest);
      lostRaces = refusedBy === 'lane' && stored === 0 ? lostRaces + 1 : 0;
    }
    return { accepted, duplicates: withoutRepeatsOf(rest, duplicates), refused };
  }

  /** To be called with messages that have their receipts. */
  noteReceipts(ids: readonly string[]): void {
    this.#known.close(ids);
  }

  /**
   * Like `append`, but in a transaction. Throws CONFLICT if a race is lost, and QUOTA_EXCEEDED for a row over its
   * budget.
   */
  async appendInTransaction(
    rows: readonly UnplacedRow[],
    session: ClientSession,
  ): Promise<Appended> {
    const duplicates = new Set<UnplacedRow>();
    const known = await this.#findKnown(rows, session);
    const fresh = withoutKnown(rows, known, duplicates);
    const none: Appended['refused'] = new Map();
    if (fresh.length === 0) return { accepted: [], duplicates, refused: none };
    this.#known.forget(lanesOf(fresh), keysOf(fresh));
    const tails = await findTails(this.rows, lanesOf(fresh), keysOf(fresh), session);
    const { placed: accepted, refused } = await this.#place(fresh, tails);
    for (const { error } of refused) throw error;
    try {
      await this.rows.insertMany(accepted, { session });
    } catch (error) {
      if (violatedIndex(error) === undefined) throw error;
      const text = 'Another message was accepted at the same time; try again';
      throw new AppError('CONFLICT', text, {}, { cause: error });
    }
    return { accepted, duplicates, refused: none };
  }

  /** Looks up only what this process does not remember. */
  async #findTails(rows: readonly UnplacedRow[]): Promise<AppendTails> {
    const { unknownLanes, unknownBudgets, ...known } = this.#known.find(rows);
    const isRemembered = known.lanes.size > 0 || known.budgets.size > 0;
    if (unknownLanes.length === 0 && unknownBudgets.length === 0) return { ...known, isRemembered };
    const found = await findTails(this.rows, unknownLanes, unknownBudgets);
    return {
      lanes: new Map([...known.lanes, ...found.lanes]),
      budgets: new Map([...known.budgets, ...found.budgets]),
      isRemembered,
    };
  }

  /** Counts waiting messages only for budgets that may be exceeded. */
  async #place(rows: readonly UnplacedRow[], tails: Tails): Promise<Placing> {
    const placing = placeRows(rows, tails);
    const doubtful = placing.refused.filter(({ exceeded }) => exceeded === 'waiting');
    return doubtful.length === 0 ? placing : this.#waiting.placeCounted(rows, tails, doubtful);
  }

  /** A retry of a message that was accepted is not refused, however much has been sent since. */
  async #sortOut(
    overBudget: readonly Refused[],
    duplicates: Set<UnplacedRow>,
    refused: Map<UnplacedRow, AppError>,
  ): Promise<void> {
    if (overBudget.length === 0) return;
    const known = await this.#findKnown(overBudget.map(({ row }) => row));
    for (const { row, error } of overBudget)
      if (known.has(row._id)) duplicates.add(row);
      else refused.set(row, error);
  }

  /** Stores rows up to the first that is refused. Throws when it is not known which are stored. */
  async #insert(
    placed: readonly OpenRow[],
    { isRemembered }: AppendTails,
  ): Promise<{ stored: number; refusedBy: RefusedBy }> {
    try {
      if (placed.length > 0) await this.rows.insertMany(placed, { ordered: true });
      this.#known.add(placed);
      return { stored: placed.length, refusedBy: 'nothing' };
    } catch (error) {
      const keys = placed.flatMap(({ budget }) => budget?.key ?? []);
      this.#known.forget(lanesOf(placed), keys);
      const [stored = 0] = duplicatesIn(error);
      const refusedBy = violatedIndex(error) === '_id_' ? '_id_' : 'lane';
      if (refusedBy === 'lane' && isRemembered) this.#known.distrust();
      return { stored, refusedBy };
    }
  }

  async #findKnown(
    rows: readonly UnplacedRow[],
    session?: ClientSession,
  ): Promise<ReadonlySet<string>> {
    const _id = { $in: rows.map((row) => row._id) };
    const options = { projection: { _id: 1 }, ...(session ? { session } : {}) };
    const found = await this.rows.find({ _id }, options).toArray();
    return new Set(found.map((row) => row._id));
  }
}

/** Adds rows that are known, or appear for the second time, to the duplicates; returns the others. */
function withoutKnown(
  rows: readonly UnplacedRow[],
  known: ReadonlySet<string>,
  duplicates: Set<UnplacedRow>,
): readonly UnplacedRow[] {
  const seen = new Set(known);
  return rows.filter((row) => {
    const isFresh = !seen.has(row._id);
    if (isFresh) seen.add(row._id);
    else duplicates.add(row);
    return isFresh;
  });
}

/** A repeated row is a duplicate only if the first one with its id is stored. */
function withoutRepeatsOf(
  lost: readonly UnplacedRow[],
  duplicates: ReadonlySet<UnplacedRow>,
): ReadonlySet<UnplacedRow> {
  const lostIds = new Set(lost.map(({ _id }) => _id));
  return new Set([...duplicates].filter(({ _id }) => !lostIds.has(_id)));
}

/** So that a lane that many replicas append to does not hold up the others. */
function firstLaneLast(rows: readonly UnplacedRow[]): readonly UnplacedRow[] {
  const isFirst = ({ lane }: UnplacedRow): boolean => lane === rows[0]?.lane;
  return [...rows.filter((row) => !isFirst(row)), ...rows.filter(isFirst)];
}

function lanesOf(rows: readonly UnplacedRow[]): string[] {
  return [...new Set(rows.map(({ lane }) => lane))];
}

function keysOf(rows: readonly UnplacedRow[]): string[] {
  return [...new Set(rows.flatMap(({ limited }) => limited?.key ?? []))];
}
