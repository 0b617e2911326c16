import { AppError } from '@daycare/api';
import { duplicatesIn, violatedIndex } from '@daycare/mongo';
import type { ClientSession, Collection } from 'mongodb';
import { WaitingCounter, type CountInInboxes } from './waiting-counter';
import { KnownTails } from './known-tails';
import { findTails, type Tails } from './lane-tails';
import type { UnplacedRow } from './message-draft';
import type { OpenRow, OutboxRow } from './outbox-row';
import { placeRows, type Placement, type RefusedRow } from './place-rows';

export interface AppendResult {
  readonly id: string;
  /** `duplicate`: the id was accepted before and nothing was stored. */
  readonly outcome: 'accepted' | 'duplicate';
}

/** The outcomes of some rows; a row without an outcome lost every race for its position. */
export interface Appended {
  readonly accepted: readonly OpenRow[];
  readonly duplicates: ReadonlySet<UnplacedRow>;
  /** The rows that are over their budget. */
  readonly refused: ReadonlyMap<UnplacedRow, AppError>;
}

interface AppendTails extends Tails {
  /** Whether any of these tails was remembered, not looked up: another replica may have appended behind it. */
  readonly isRemembered: boolean;
}

/**
 * Which unique index refused a row, if any: `_id_`, or as `lane` either the index of positions in lanes or the index of
 * numbers in budgets.
 */
type RefusedBy = 'nothing' | '_id_' | 'lane';

/** How many consecutive races may be lost to other replicas. */
const maxLostRaces = 50;

/**
 * Places rows behind the newest ones of their lanes. Two rows cannot be placed behind the same one, since a
 * position is unique; the loser retries. So each lane is one chain, in which every row names the one before it
 * unless that one has its receipt. The rows that this process stored last are remembered instead of looked up.
 */
export class LaneAppender {
  readonly #waiting: WaitingCounter;
  readonly #knownTails = new KnownTails();

  constructor(
    private readonly rows: Collection<OutboxRow>,
    countInInboxes: CountInInboxes = async () => new Map(),
  ) {
    this.#waiting = new WaitingCounter(rows, countInInboxes);
  }

  /**
   * Stores the rows of each lane in their order. If a row loses every race, later rows of its lane are not stored
   * either.
   */
  async append(rows: readonly UnplacedRow[]): Promise<Appended> {
    const accepted: OpenRow[] = [];
    const duplicates = new Set<UnplacedRow>();
    const refused = new Map<UnplacedRow, AppError>();
    let remaining = rows;
    let storedIds: ReadonlySet<string> = new Set();
    for (let lostRaces = 0; remaining.length > 0 && lostRaces < maxLostRaces;) {
      remaining = withoutStored(remaining, storedIds, duplicates);
      const tails = await this.#findTails(remaining);
      const placement = await this.#place(remaining, tails);
      await this.#separateRetries(placement.refused, duplicates, refused);
      const { stored, refusedBy } = await this.#insert(placement.placed, tails);
      accepted.push(...placement.placed.slice(0, stored));
      remaining = placement.placedInputs.slice(stored);
      // Retried messages mostly come together, so the first duplicate is a reason to look for all of them.
      if (refusedBy === '_id_') storedIds = await this.#findStoredIds(remaining);
      if (refusedBy === 'lane') remaining = firstLaneLast(remaining);
      lostRaces = refusedBy === 'lane' && stored === 0 ? lostRaces + 1 : 0;
    }
    return { accepted, duplicates: withoutRepeatsOf(remaining, duplicates), refused };
  }

  /** Call it with messages that now have their receipts. */
  noteReceipts(ids: readonly string[]): void {
    this.#knownTails.close(ids);
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
    const storedIds = await this.#findStoredIds(rows, session);
    const fresh = withoutStored(rows, storedIds, duplicates);
    const noRefusals: Appended['refused'] = new Map();
    if (fresh.length === 0) return { accepted: [], duplicates, refused: noRefusals };
    this.#knownTails.forget(lanesOf(fresh), keysOf(fresh));
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
    return { accepted, duplicates, refused: noRefusals };
  }

  /** Looks up only what this process does not remember. */
  async #findTails(rows: readonly UnplacedRow[]): Promise<AppendTails> {
    const { unknownLanes, unknownBudgets, ...known } = this.#knownTails.find(rows);
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
  async #place(rows: readonly UnplacedRow[], tails: Tails): Promise<Placement> {
    const placement = placeRows(rows, tails);
    const doubtful = placement.refused.filter(({ exceeded }) => exceeded === 'waiting');
    return doubtful.length === 0 ? placement : this.#waiting.placeCounted(rows, tails, doubtful);
  }

  /** A retry of a message that was accepted is not refused, however much has been sent since. */
  async #separateRetries(
    overBudget: readonly RefusedRow[],
    duplicates: Set<UnplacedRow>,
    refused: Map<UnplacedRow, AppError>,
  ): Promise<void> {
    if (overBudget.length === 0) return;
    const storedIds = await this.#findStoredIds(overBudget.map(({ row }) => row));
    for (const { row, error } of overBudget)
      if (storedIds.has(row._id)) duplicates.add(row);
      else refused.set(row, error);
  }

  /** Stores rows until one is refused. Throws when it is not known which are stored. */
  async #insert(
    placed: readonly OpenRow[],
    { isRemembered }: AppendTails,
  ): Promise<{ stored: number; refusedBy: RefusedBy }> {
    try {
      if (placed.length > 0) await this.rows.insertMany(placed, { ordered: true });
      this.#knownTails.add(placed);
      return { stored: placed.length, refusedBy: 'nothing' };
    } catch (error) {
      const keys = placed.flatMap(({ budget }) => budget?.key ?? []);
      this.#knownTails.forget(lanesOf(placed), keys);
      const [stored = 0] = duplicatesIn(error);
      const refusedBy = violatedIndex(error) === '_id_' ? '_id_' : 'lane';
      if (refusedBy === 'lane' && isRemembered) this.#knownTails.distrust();
      return { stored, refusedBy };
    }
  }

  async #findStoredIds(
    rows: readonly UnplacedRow[],
    session?: ClientSession,
  ): Promise<ReadonlySet<string>> {
    const _id = { $in: rows.map((row) => row._id) };
    const options = { projection: { _id: 1 }, ...(session ? { session } : {}) };
    const found = await this.rows.find({ _id }, options).toArray();
    return new Set(found.map((row) => row._id));
  }
}

/**
 * Adds rows that are already stored, or appear for the second time, to the duplicates; returns the others.
 */
function withoutStored(
  rows: readonly UnplacedRow[],
  storedIds: ReadonlySet<string>,
  duplicates: Set<UnplacedRow>,
): readonly UnplacedRow[] {
  const seen = new Set(storedIds);
  return rows.filter((row) => {
    const isFresh = !seen.has(row._id);
    if (isFresh) seen.add(row._id);
    else duplicates.add(row);
    return isFresh;
  });
}

/**
 * Drops the duplicates of rows that were not stored: a repeated row is a duplicate only if the first is
 * stored.
 */
function withoutRepeatsOf(
  lost: readonly UnplacedRow[],
  duplicates: ReadonlySet<UnplacedRow>,
): ReadonlySet<UnplacedRow> {
  const lostIds = new Set(lost.map(({ _id }) => _id));
  return new Set([...duplicates].filter(({ _id }) => !lostIds.has(_id)));
}

/**
 * Moves the first lane's rows to the end, because a lane that many replicas append to must not hold up the others.
 */
function firstLaneLast(rows: readonly UnplacedRow[]): readonly UnplacedRow[] {
  const isFirst = ({ lane }: UnplacedRow): boolean => lane === rows[0]?.lane;
  return [...rows.filter((row) => !isFirst(row)), ...rows.filter(isFirst)];
}

function lanesOf(rows: readonly UnplacedRow[]): string[] {
  return [...new Set(rows.map(({ lane }) => lane))];
}

function keysOf(rows: readonly UnplacedRow[]): string[] {
  return [...new Set(rows.flatMap(({ budgetSpec }) => budgetSpec?.key ?? []))];
}
