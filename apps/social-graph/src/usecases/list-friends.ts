import {
  encodePageToken,
  FieldChecks,
  fitPage,
  readPageToken,
  type PageCursor,
} from '@daycare/api';
import type { ListName } from '../domain/listing';
import { otherSide, type FriendLimits, type Share } from '../domain/tie/tie';
import type { ListedTie, TieStore } from '../store/tie-store';

export interface ListCall {
  readonly callerId: string;
  readonly pageSize: number;
  readonly pageToken: string;
  /** The digest that came with the caller's copy of this page, if it has one. */
  readonly knownDigest?: string | undefined;
  /** Also look up display names. */
  readonly includeNames?: boolean | undefined;
}

/** Returns display names by user id. */
export type FindNames = (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface ListedFriend {
  readonly nametag: string;
  readonly since: Date;
  readonly sharesOut: readonly Share[];
  readonly sharesIn: readonly Share[];
  /** The limits that the caller has set for messages from this friend. */
  readonly limits: FriendLimits | undefined;
  /** The caller's own name for this friend. */
  readonly nickname: string | undefined;
  /** The display name, if names were requested. */
  readonly name: string | undefined;
}

export interface ListedRequest {
  readonly nametag: string;
  readonly direction: 'in' | 'out';
  readonly since: Date;
  /** The name of a user who has sent the caller a request, if names were requested. */
  readonly name: string | undefined;
}

export interface FriendLists {
  readonly friends: readonly ListedFriend[];
  readonly requests: readonly ListedRequest[];
  readonly blocks: readonly { nametag: string; since: Date }[];
  readonly counts: { readonly friends: number; readonly requests: number; readonly blocks: number };
  readonly nextPageToken: string;
  /** Changes when anything on any page changes, except for display names. */
  readonly digest: string;
}

/** The answer to a caller whose copy of the lists is still current. */
export interface UnchangedLists {
  readonly unchangedDigest: string;
}

export interface ListFriendsDeps {
  readonly ties: TieStore;
  readonly findNames: FindNames;
}

/** The key after which each section continues; absent for a section without further pages. */
type Cursors = Readonly<Partial<Record<Section, string>>>;
type Section = keyof typeof sections;

const sections = {
  friends: ['friend'],
  requests: ['request_in', 'request_out'],
  blocks: ['block'],
} as const satisfies Record<string, readonly ListName[]>;

const sectionNames = ['friends', 'requests', 'blocks'] as const;
const firstPage: Cursors = { friends: '', requests: '', blocks: '' };

/** Lists the caller's friends, requests and blocks, with at most seven queries of the database. */
export function makeListFriends({ ties, findNames }: ListFriendsDeps) {
  return async (call: ListCall): Promise<FriendLists | UnchangedLists> => {
    const { callerId, pageSize, pageToken, knownDigest = '' } = call;
    const checks = new FieldChecks();
    const size = checks.pageSize(pageSize);
    const cursors = readPageToken(pageToken, checks, readCursors) ?? firstPage;
    checks.done();
    // Computed before the lists are read, so that a change in between is in the lists and also changes the next digest.
    const summary = await ties.summarise(callerId);
    const { digest } = summary;
    if (knownDigest !== '' && knownDigest === digest) return { unchangedDigest: digest };
    const read = (name: Section): Promise<ListedTie[]> | ListedTie[] => {
      const isEmpty = sections[name].every((list) => !summary.counts[list]);
      return isEmpty ? [] : readPage(ties, callerId, sections[name], cursors[name], size);
    };
    const [friends, requests, blocks] = await Promise.all([
      read('friends'),
      read('requests'),
      read('blocks'),
    ]);
    // Only friends are limited by size, because their shares can make them large; requests and blocks are small.
    const fitting = fitPage(friends, size, shareTextOf).page;
    const shown = {
      friends: fitting,
      requests: requests.slice(0, size),
      blocks: blocks.slice(0, size),
    };
    const namedTies = [...shown.friends, ...shown.requests.filter(isIncoming)];
    const names = call.includeNames ? await findNames(namedTies.map(otherId)) : noNames;
    const nextPageToken = toNextPageToken({ friends, requests, blocks }, shown);
    const {
      friend = 0,
      request_in: incoming = 0,
      request_out: outgoing = 0,
      block = 0,
    } = summary.counts;
    return {
      friends: shown.friends.map((listed) => toFriend(listed, names)),
      requests: shown.requests.map((listed) => toRequest(listed, names)),
      blocks: shown.blocks.map(toBlock),
      counts: { friends: friend, requests: incoming + outgoing, blocks: block },
      nextPageToken,
      digest,
    };
  };
}

async function readPage(
  ties: TieStore,
  userId: string,
  lists: readonly ListName[],
  after: string | undefined,
  size: number,
): Promise<ListedTie[]> {
  if (after === undefined) return [];
  // One entry more than the page shows reveals whether there is a next page.
  return ties.list({ userId, lists, after, limit: size + 1 });
}

/** Returns the text in a friend's shares, which can make the friend's entry large. */
function shareTextOf({ tie: { shares } }: ListedTie): readonly string[] {
  return shares.map(
    ({ subuserId, subuserNametag, subuserName, subuserDescription }) =>
      subuserId + subuserNametag + subuserName + subuserDescription,
  );
}

type Names = ReadonlyMap<string, string>;
const noNames: Names = new Map();

function toFriend(listed: ListedTie, names: Names): ListedFriend {
  const { tie, me } = listed;
  return {
    nametag: otherNametag(listed),
    since: sinceOf(listed),
    sharesOut: tie.shares.filter(({ owner }) => owner === me),
    sharesIn: tie.shares.filter(({ owner }) => owner !== me),
    limits: tie.limits[me],
    nickname: tie.nicknames?.[me],
    name: names.get(otherId(listed)),
  };
}

/** The name of a user to whom the caller has sent a request stays hidden until they are friends. */
function toRequest(listed: ListedTie, names: Names): ListedRequest {
  const isIn = isIncoming(listed);
  return {
    nametag: otherNametag(listed),
    direction: isIn ? 'in' : 'out',
    since: sinceOf(listed),
    name: isIn ? names.get(otherId(listed)) : undefined,
  };
}

function isIncoming({ tie: { bond }, me }: ListedTie): boolean {
  return !(bond.kind === 'requested' && bond.by === me);
}

function otherId({ pair, me }: ListedTie): string {
  return pair[otherSide[me]].userId;
}

function toBlock(listed: ListedTie): FriendLists['blocks'][number] {
  const since = listed.tie.blockedSince[listed.me] ?? new Date(0);
  return { nametag: otherNametag(listed), since };
}

function otherNametag({ pair, me }: ListedTie): string {
  return pair[otherSide[me]].nametag;
}

function sinceOf({ tie: { bond } }: ListedTie): Date {
  return bond.kind === 'none' ? new Date(0) : bond.since;
}

type Pages = Readonly<Record<Section, readonly ListedTie[]>>;

/** A section that is not shown completely continues after the last entry shown. */
function toNextPageToken(found: Pages, shown: Pages): string {
  const keys = sectionNames.map((name) =>
    found[name].length > shown[name].length ? (shown[name].at(-1)?.key ?? '') : '',
  );
  return keys.some((key) => key !== '') ? encodePageToken(keys) : '';
}

/** Reads one key per section; the key of a section that has no more pages is empty. */
function readCursors(cursor: PageCursor): Cursors | undefined {
  const isOurs =
    cursor.length === sectionNames.length &&
    cursor.every((key) => typeof key === 'string') &&
    cursor.some((key) => key !== '');
  if (!isOurs) return undefined;
  const open = sectionNames.map((name, index) => [name, cursor[index]] as const);
  return Object.fromEntries(open.filter(([, key]) => key !== ''));
}
