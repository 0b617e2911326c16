import { FieldChecks } from '@daycare/errors';
import type { ListName } from '../domain/listing';
import { otherSide, type Share } from '../domain/tie';
import type { ListedTie, TieStore } from '../store/tie-store';
import type { SubuserFacts } from './notice-draft';

export interface ListCall {
  readonly callerId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ListedShare extends Share, SubuserFacts {}

export interface ListedFriend {
  readonly nametag: string;
  readonly since: Date;
  readonly sharesOut: readonly ListedShare[];
  readonly sharesIn: readonly ListedShare[];
}

export interface FriendLists {
  readonly friends: readonly ListedFriend[];
  readonly requests: readonly { nametag: string; direction: 'in' | 'out'; since: Date }[];
  readonly blocks: readonly { nametag: string; since: Date }[];
  readonly counts: { readonly friends: number; readonly requests: number; readonly blocks: number };
  readonly nextPageToken: string;
  /** Differs when something does that is not on the first page; empty when that has it all. */
  readonly digest: string;
}

export interface ListDeps {
  readonly ties: TieStore;
  /** What may be read of many subusers, in one call; those that are gone are left out. */
  readonly describeSubusers: (ids: readonly string[]) => Promise<ReadonlyMap<string, SubuserFacts>>;
}

/** Where each list goes on; a list that has ended has no cursor. */
type Cursors = Readonly<Partial<Record<Section, string>>>;
type Section = keyof typeof sections;

const sections = {
  friends: ['friend'],
  requests: ['request_in', 'request_out'],
  blocks: ['block'],
} as const satisfies Record<string, readonly ListName[]>;

const sectionNames = ['friends', 'requests', 'blocks'] as const;

/** Lists what is between the caller and others: a constant number of queries, whatever there is. */
export function makeListFriends({ ties, describeSubusers }: ListDeps) {
  return async ({ callerId, pageSize, pageToken }: ListCall): Promise<FriendLists> => {
    const checks = new FieldChecks();
    const size = checks.pageSize(pageSize);
    checks.done();
    const cursors = readPageToken(pageToken);
    const [survey, ...pages] = await Promise.all([
      ties.survey(callerId),
      ...sectionNames.map((name) => readPage(ties, callerId, sections[name], cursors[name], size)),
    ]);
    const [friends, requests, blocks] = pages as [ListedTie[], ListedTie[], ListedTie[]];
    const shown = {
      friends: friends.slice(0, size),
      requests: requests.slice(0, size),
      blocks: blocks.slice(0, size),
    };
    const nextPageToken = writePageToken({ friends, requests, blocks }, size);
    const isWhole = pageToken === '' && nextPageToken === '';
    const facts = await describeSubusers(
      shown.friends.flatMap(({ tie }) => tie.shares.map((share) => share.subuserId)),
    );
    const {
      friend = 0,
      request_in: incoming = 0,
      request_out: outgoing = 0,
      block = 0,
    } = survey.counts;
    return {
      friends: shown.friends.map((listed) => toFriend(listed, facts)),
      requests: shown.requests.map(toRequest),
      blocks: shown.blocks.map(toBlock),
      counts: { friends: friend, requests: incoming + outgoing, blocks: block },
      nextPageToken,
      digest: isWhole ? '' : survey.digest,
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
  // One more than shown tells whether there is a next page.
  return ties.list({ userId, lists, after, limit: size + 1 });
}

function toFriend(listed: ListedTie, facts: ReadonlyMap<string, SubuserFacts>): ListedFriend {
  const { tie, me } = listed;
  const shares = tie.shares.map((share) => ({
    ...share,
    name: facts.get(share.subuserId)?.name ?? '',
    description: facts.get(share.subuserId)?.description ?? '',
  }));
  return {
    nametag: otherNametag(listed),
    since: sinceOf(listed),
    sharesOut: shares.filter(({ owner }) => owner === me),
    sharesIn: shares.filter(({ owner }) => owner !== me),
  };
}

function toRequest(listed: ListedTie): FriendLists['requests'][number] {
  const { bond } = listed.tie;
  const isMine = bond.kind === 'requested' && bond.by === listed.me;
  return {
    nametag: otherNametag(listed),
    direction: isMine ? 'out' : 'in',
    since: sinceOf(listed),
  };
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

function writePageToken(
  pages: Readonly<Record<Section, readonly ListedTie[]>>,
  size: number,
): string {
  const open = sectionNames.filter((name) => pages[name].length > size);
  if (open.length === 0) return '';
  const cursors = Object.fromEntries(open.map((name) => [name, pages[name][size - 1]?.key ?? '']));
  return Buffer.from(JSON.stringify(cursors)).toString('base64url');
}

function readPageToken(token: string): Cursors {
  if (token === '') return { friends: '', requests: '', blocks: '' };
  const cursors = parseCursors(token);
  const description = 'was not given out by this service';
  new FieldChecks().require(cursors !== undefined, 'page_token', description).done();
  return cursors ?? {};
}

function parseCursors(token: string): Cursors | undefined {
  try {
    const parsed = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const entries = sectionNames.map((name) => [name, parsed[name]] as const);
    const areKeys = entries.every(([, key]) => key === undefined || typeof key === 'string');
    const isOurs = areKeys && entries.some(([, key]) => key !== undefined);
    return isOurs ? Object.fromEntries(entries) : undefined;
  } catch {
    return undefined;
  }
}
