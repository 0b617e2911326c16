import type { ListEnd, PlacedRevocation, RevocationStore } from '../../store/revocation-store';

export interface RevocationPage {
  readonly revoked: readonly PlacedRevocation[];
  readonly position: string;
  /** The page starts at the beginning of the list, because no known position was given. */
  readonly isRestarted: boolean;
  readonly hasMore: boolean;
}

export interface RevocationFeedDeps {
  readonly revocations: Pick<RevocationStore, 'findEnd' | 'listAfter'>;
  readonly now: () => Date;
  /** Must be monotonic. */
  readonly nowMs?: () => number;
  readonly pageSize?: number;
}

/**
 * How old a page may be. Together with the interval of 2 s at which services poll, this is well below the 5 s within
 * which a revocation must take effect.
 */
const maxAgeMs = 1_000;
const readSize = 10_000;
const trimEveryMs = 60_000;

/**
 * The revocations that have not expired, in order, as this replica last read them. The feed reads only new entries and
 * sends each service only those that it does not have. So while nothing is revoked, a long list costs no more than a
 * short one.
 */
export class RevocationFeed {
  #entries: PlacedRevocation[] = [];
  #end: ListEnd = { listId: '', position: 0 };
  #readAtMs = -Infinity;
  #trimmedAtMs = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(private readonly deps: RevocationFeedDeps) {}

  /** Returns the revocations after a position, from data that is at most a second old. */
  async page(knownPosition: string): Promise<RevocationPage> {
    if (this.#nowMs() - this.#readAtMs >= maxAgeMs) await this.read();
    const { pageSize = 5_000 } = this.deps;
    // The position may be new to this replica, because another one has read further. If it exists, one read finds it,
    // or two if the first was already in progress: that one may have begun before the position existed.
    for (let reads = 0; reads < 2 && this.#isUnknown(knownPosition); reads += 1) {
      const isJoined = this.#reading !== undefined;
      await this.read();
      if (!isJoined) break;
    }
    const after = this.#readPosition(knownPosition);
    const start = indexAfter(this.#entries, after ?? 0);
    const revoked = this.#entries.slice(start, start + pageSize);
    const position = revoked.at(-1)?.position ?? after ?? 0;
    return {
      revoked,
      position: `${this.#end.listId}:${position}`,
      isRestarted: after === undefined,
      hasMore: start + revoked.length < this.#entries.length,
    };
  }

  /**
   * Returns the whole list. Entries are dropped up to a minute after they expire, but the last one only after another
   * has been added.
   */
  async list(): Promise<readonly PlacedRevocation[]> {
    if (this.#nowMs() - this.#readAtMs >= maxAgeMs) await this.read();
    return this.#entries;
  }

  /** Reads the new entries now. Concurrent calls share one read. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    // The age is measured from before the query, which may miss revocations that are added after it begins.
    const startedAtMs = this.#nowMs();
    const end = await this.deps.revocations.findEnd();
    // The database has another list, or was restored to an older state of this one: known positions are meaningless.
    if (end.listId !== this.#end.listId || end.position < this.#end.position) this.#entries = [];
    if (end.position > this.#last) await this.#readNew();
    this.#end = { listId: end.listId, position: Math.max(end.position, this.#last) };
    this.#trim();
    this.#readAtMs = startedAtMs;
  }

  async #readNew(): Promise<void> {
    for (;;) {
      const found = await this.deps.revocations.listAfter(this.#last, readSize);
      this.#entries.push(...found);
      if (found.length < readSize) return;
    }
  }

  get #last(): number {
    return this.#entries.at(-1)?.position ?? 0;
  }

  #trim(): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#trimmedAtMs < trimEveryMs) return;
    this.#trimmedAtMs = nowMs;
    const now = this.deps.now();
    const last = this.#entries.at(-1);
    // The last entry stays: it shows how far the list has been read.
    this.#entries = this.#entries.filter((entry) => entry.expiresAt > now || entry === last);
  }

  #isUnknown(text: string): boolean {
    return text !== '' && this.#readPosition(text) === undefined;
  }

  /** Returns undefined when the text is not a position in this list. */
  #readPosition(text: string): number | undefined {
    const [listId, digits] = text.split(':');
    const position = Number(digits);
    const isOurs = listId === this.#end.listId && Number.isSafeInteger(position);
    return isOurs && position >= 0 && position <= this.#end.position ? position : undefined;
  }

  #nowMs(): number {
    return this.deps.nowMs?.() ?? performance.now();
  }
}

/** Returns the index of the first entry after a position. */
function indexAfter(entries: readonly PlacedRevocation[], position: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.position ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
