import { notFound, type AppError } from '@daycare/api';
import type { FriendFacts, ScopeFacts, SubuserFacts, WiringFacts } from '../../domain/view/facts';
import type { TopologyCursor } from '../../domain/view/page-view';
import { isSameScope, scopeOf, type Scope } from '../../domain/view/scope';
import type { Facts, Self } from '../../domain/view/topology-view';
import { isSubuser, type Viewer } from '../../domain/viewer';
import type { FactSources, TimeBudget } from './fact-sources';
import type { ListWiring } from './list-wiring';
import { askWithinBudget } from './ask-within-budget';

export interface CollectFactsDeps {
  readonly sources: FactSources;
  readonly listWiring: ListWiring;
  readonly now: () => Date;
  /** Called for every service that is unavailable. */
  readonly reportUnavailable: (service: string, error: AppError) => void;
}

export interface CollectFactsCall {
  readonly viewer: Viewer;
  readonly includeDead: boolean;
  /** In epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export interface CollectedFacts {
  readonly self: Self;
  readonly scope: Scope;
  /** The first page of every source: the revision is computed from it, whatever page is shown. */
  readonly first: Facts;
  /** The source pages that the cursor points into; the same object as `first` if they are the first pages. */
  readonly current: Facts;
}

/** The facts that an earlier call collected for the same viewer, and the scope computed from them. */
export type KnownFacts = Pick<CollectedFacts, 'scope' | 'first'>;

interface SourcePages<T> {
  readonly first: T | undefined;
  readonly current: T | undefined;
}

interface People {
  readonly self: Self;
  readonly subusers: SubuserFacts | undefined;
  readonly friends: SourcePages<FriendFacts>;
}

interface Belongings {
  readonly scopes: SourcePages<ScopeFacts>;
  readonly wirings: SourcePages<WiringFacts>;
}

/** More than a healthy service needs; two such waits still fit into a client's timeout. */
const maxWaitMs = 1_500;
/** The share of the remaining time for each of the two rounds of calls. */
const timeShares = { people: 0.4, scope: 0.7 };

/**
 * Reads the facts for a view in two rounds: first the people in it, then their agents and wiring. The number of calls
 * is limited, however many entries there are. If the first page of every source is requested and facts are known, the
 * second round runs concurrently with the first, using the known scope; its result is used only if the scope turns out
 * to be the same.
 */
export async function collectFacts(
  deps: CollectFactsDeps,
  call: CollectFactsCall,
  cursor: TopologyCursor,
  known?: KnownFacts,
): Promise<CollectedFacts> {
  const isFirst = isOnFirstPages(cursor);
  // The call to agent-runtime is started first, because it is the slowest: it reads the most entries.
  const [prefetched, { self, subusers, friends }] = await Promise.all([
    known && isFirst
      ? findBelongings(deps, call, cursor, {
          scope: known.scope,
          timeShare: timeShares.people,
          known: known.first,
        })
      : undefined,
    findPeople(deps, call, cursor, known),
  ]);
  const scope =
    known && isFirst && isSamePeople(known.first, subusers, friends.first)
      ? known.scope
      : scopeOf(call.viewer, { subusers, friends: [friends.current, friends.first] });
  const isScopeKnown = known !== undefined && isSameScope(scope, known.scope);
  const { scopes, wirings } =
    prefetched && isScopeKnown
      ? prefetched
      : await findBelongings(deps, call, cursor, { scope, timeShare: timeShares.scope });
  const factsOf = (page: keyof SourcePages<unknown>): Facts => ({
    subusers,
    friends: friends[page],
    scope: scopes[page],
    wiring: wirings[page],
  });
  const first = factsOf('first');
  return { self, scope, first, current: isFirst ? first : factsOf('current') };
}

/** Compares by identity, because a source with no changes returns the very object that it was given. */
function isSamePeople(
  known: Facts,
  subusers: SubuserFacts | undefined,
  friends: FriendFacts | undefined,
): boolean {
  return known.subusers === subusers && known.friends === friends;
}

async function findPeople(
  deps: CollectFactsDeps,
  call: CollectFactsCall,
  { sourceTokens }: TopologyCursor,
  known: KnownFacts | undefined,
): Promise<People> {
  const { sources } = deps;
  const { viewer } = call;
  const ask = makeAsk(deps, call, timeShares.people);
  const isIsolated = isSubuser(viewer);
  const { subusers: knownSubusers, friends: knownFriends } = known?.first ?? {};
  const [named, subusers, friends] = await Promise.all([
    ask('identity', async (timeBudget) => ({
      nametag: await nametagOf(sources, viewer, timeBudget),
    })),
    isIsolated
      ? undefined
      : ask('identity', (timeBudget) => sources.listSubusers(viewer, knownSubusers, timeBudget)),
    isIsolated
      ? { first: undefined, current: undefined }
      : readPages(sourceTokens.friends, knownFriends, (request) =>
          ask('social-graph', (timeBudget) => sources.listFriends(viewer, request, timeBudget)),
        ),
  ]);
  return { self: { ...viewer, nametag: named?.nametag }, subusers, friends };
}

async function nametagOf(
  sources: FactSources,
  viewer: Viewer,
  budget: TimeBudget,
): Promise<string> {
  const nametag = await sources.findNametag(viewer, budget);
  if (nametag === undefined) throw notFound('user');
  return nametag;
}

interface BelongingsRequest {
  readonly scope: Scope;
  readonly timeShare: number;
  /** The earlier result. */
  readonly known?: Facts;
}

/** Finds the agents, schedules and wiring of the users in a scope. */
async function findBelongings(
  deps: CollectFactsDeps,
  call: CollectFactsCall,
  { sourceTokens }: TopologyCursor,
  { scope: { userIds, gatewayUserIds }, timeShare, known }: BelongingsRequest,
): Promise<Belongings> {
  const { sources, listWiring } = deps;
  const { includeDead } = call;
  const ask = makeAsk(deps, call, timeShare);
  const [scopes, wirings] = await Promise.all([
    readPages(sourceTokens.scope, known?.scope, (page) => {
      const request = { userIds, gatewayUserIds, includeDead, ...page };
      return ask('agent-runtime', (timeBudget) => sources.listScope(request, timeBudget));
    }),
    readPages(sourceTokens.wiring, known?.wiring, (page) =>
      ask('topology', () => listWiring({ userIds, ...page })),
    ),
  ]);
  return { scopes, wirings };
}

interface PageRequest<T> {
  readonly pageToken: string;
  readonly known: T | undefined;
}

/** Reads the first page, and also the one at `pageToken` if that is a later one. `known` is an earlier first page. */
async function readPages<T>(
  pageToken: string,
  known: T | undefined,
  read: (request: PageRequest<T>) => Promise<T | undefined>,
): Promise<SourcePages<T>> {
  const [first, later] = await Promise.all([
    read({ pageToken: '', known }),
    pageToken === '' ? undefined : read({ pageToken, known: undefined }),
  ]);
  return { first, current: pageToken === '' ? first : later };
}

function isOnFirstPages({ sourceTokens }: TopologyCursor): boolean {
  return Object.values(sourceTokens).every((token) => token === '');
}

/** Returns a function that asks a service within a share of the remaining time, and reports if it is unavailable. */
function makeAsk(
  { now, reportUnavailable }: CollectFactsDeps,
  { deadline, signal }: CollectFactsCall,
  share: number,
) {
  const remainingMs = Math.max(0, deadline - now().getTime());
  const timeoutMs = Math.max(1, Math.floor(Math.min(maxWaitMs, remainingMs * share)));
  return <T>(service: string, send: (budget: TimeBudget) => Promise<T>) =>
    askWithinBudget(send, { timeoutMs, signal }, (error) => reportUnavailable(service, error));
}
