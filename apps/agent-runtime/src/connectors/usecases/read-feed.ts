import type { FeedEntry, FeedReader } from '../../agents';
import type { FeedPermission, PermissionFeed } from '../../permissions';
import type { FeedHorizon, Horizon } from '../domain/feed-horizon';
import type { FeedKey } from '../domain/feed-position';
import type { FeedWindow } from '../domain/feed-window';

export interface ReadFeedDeps {
  readonly entries: FeedReader;
  readonly permissions: PermissionFeed;
  /** In milliseconds; monotonic. */
  readonly clock: () => number;
}

/** An item of a feed that has not been sent yet. */
export type FeedItem = FeedKey &
  (
    | { readonly kind: 'entry'; readonly entry: FeedEntry }
    | { readonly kind: 'permission'; readonly change: FeedPermission }
  );

/** A page of unsent items, in order. */
export interface FeedPage {
  readonly items: readonly FeedItem[];
  /** When the scans that found the items ended; the items themselves are read after that. */
  readonly seenAtMs: number;
  readonly horizon: Horizon;
  /** No unsent item, on the page or not, has a lower order than this; undefined when everything has been sent. */
  readonly unsentFrom: bigint | undefined;
  /** No unsent item that is missing from the page has a lower order than this; undefined when none is missing. */
  readonly missingFrom: bigint | undefined;
}

/** How far a stream has read its feed. */
export interface FeedReadState {
  readonly window: FeedWindow;
  /** Shared by all feeds of a database. */
  readonly horizon: FeedHorizon;
  readonly maxAhead: number;
}

const pageSize = 200;

/**
 * Reads a page of unsent items in at most four queries, however many agents the connector has: one scan of each index
 * beyond the settled part and, if that finds new items, one read per kind.
 */
export async function readFeed(
  { entries, permissions, clock }: ReadFeedDeps,
  feed: string,
  { window, horizon, maxAhead }: FeedReadState,
): Promise<FeedPage> {
  const startedAtMs = clock();
  const limit = maxAhead + pageSize;
  const { current } = horizon;
  const range = { after: window.low, since: current.since, limit };
  const [{ orders, ...times }, { changes }] = await Promise.all([
    entries.listFeedOrders(feed, range),
    permissions.listChanges(feed, range),
  ]);
  const seenAtMs = clock();
  horizon.advance({ startedAtMs, ...times });
  // Nothing is known beyond the end of a truncated list, so the other list is used only up to there.
  const end = minOf(truncatedAfter(orders, limit), truncatedAfter(toOrders(changes), limit));
  const isBeforeEnd = ({ order }: FeedKey): boolean => end === undefined || order <= end;
  const keys: FeedKey[] = [...orders.map((order) => ({ order, id: '' })), ...changes];
  const unsent = keys.filter((key) => isBeforeEnd(key) && !window.has(key)).sort(byOrder);
  const wanted = unsent.slice(0, Math.min(pageSize, window.room));
  const { items, omittedFrom } = await readItems({ entries, permissions }, feed, wanted);
  // From `unsent` rather than `items`: a permission request may have changed, and so moved to a higher order, since it
  // was listed.
  const unsentFrom = minOf(unsent[0]?.order, end && end + 1n);
  const missingFrom = minOf(omittedFrom, unsent[wanted.length]?.order, end && end + 1n);
  return { items, seenAtMs, horizon: current, unsentFrom, missingFrom };
}

/** `omittedFrom` is the order of the first entry that was left out because the earlier ones are too long. */
async function readItems(
  { entries, permissions }: Pick<ReadFeedDeps, 'entries' | 'permissions'>,
  feed: string,
  wanted: readonly FeedKey[],
): Promise<{ readonly items: readonly FeedItem[]; readonly omittedFrom: bigint | undefined }> {
  const orders = wanted.filter(({ id }) => id === '').map(({ order }) => order);
  const ids = wanted.filter(({ id }) => id !== '').map(({ id }) => id);
  const [read, changes] = await Promise.all([
    entries.readEntries(feed, orders),
    permissions.readChanges(feed, ids),
  ]);
  const last = read.isTruncated ? read.entries.at(-1)?.order : undefined;
  const omittedFrom = last === undefined ? undefined : orders.find((order) => order > last);
  const items: FeedItem[] = [
    ...read.entries.map((entry) => ({ kind: 'entry', order: entry.order, id: '', entry }) as const),
    ...changes.map(
      (change) => ({ kind: 'permission', order: change.order, id: change.id, change }) as const,
    ),
  ];
  const isBefore = ({ order }: FeedKey): boolean =>
    omittedFrom === undefined || order < omittedFrom;
  return { items: items.filter(isBefore).sort(byOrder), omittedFrom };
}

function byOrder(one: FeedKey, other: FeedKey): number {
  if (one.order !== other.order) return one.order < other.order ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

const toOrders = (keys: readonly FeedKey[]): bigint[] => keys.map(({ order }) => order);

/**
 * Returns the last order in a list that has reached the limit and so may be truncated; undefined for a complete list.
 */
function truncatedAfter(orders: readonly bigint[], limit: number): bigint | undefined {
  return orders.length < limit ? undefined : orders.at(-1);
}

function minOf(...orders: readonly (bigint | undefined)[]): bigint | undefined {
  const defined = orders.filter((order) => order !== undefined);
  return defined.reduce<bigint | undefined>(
    (least, order) => (least === undefined || order < least ? order : least),
    undefined,
  );
}
