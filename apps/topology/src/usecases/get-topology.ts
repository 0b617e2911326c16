import { createHash } from 'node:crypto';
import { FieldChecks, notFound, type AppError } from '@daycare/errors';
import type { FriendFacts, ScopeFacts, SubuserFacts, Viewer, WiringFacts } from '../domain/facts';
import { firstPage, pageView, type Walk } from '../domain/page-view';
import { renderTopology } from '../domain/render-topology';
import { isSubuser, scopeOf, type Scope } from '../domain/scope';
import { composeView, type Facts, type Self, type TopologyView } from '../domain/topology-view';
import { decodeWalk, encodeWalk } from '../domain/walk-token';
import type { ListWiring } from './list-wiring';
import type { Owners, Patience } from './owners';
import { unlessDown } from './unless-down';

export interface GetTopologyCall {
  readonly viewer: Viewer;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly includeDead: boolean;
  /** In epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export interface TopologyPage {
  readonly view: TopologyView;
  readonly revision: string;
  readonly composedAt: Date;
  /** Empty on later pages. */
  readonly text: string;
  readonly nextPageToken: string;
  /** When the view differs by the passing of time alone; 0 when it never does. */
  readonly changesInMs: number;
}

export interface GetTopologyDeps {
  readonly owners: Owners;
  readonly listWiring: ListWiring;
  readonly now: () => Date;
  /** Hears of every owner that is down. */
  readonly reportDown: (owner: string, error: AppError) => void;
}

/** Longer than an owner that is well needs; two such waits are shorter than a client's patience. */
const mostMs = 1_500;
/** Of the time that is left: first for who there is, then for what they have. */
const shares = { people: 0.4, scope: 0.7 };

/**
 * Composes what the viewer sees: first who belongs to it, from all who know at once, then what those
 * have. The number of calls does not grow with what there is.
 */
export function makeGetTopology(deps: GetTopologyDeps) {
  return async (call: GetTopologyCall): Promise<TopologyPage> => {
    const { walk, limit } = check(call);
    const people = await findPeople(deps, call, walk);
    const scope = scopeOf(call.viewer, {
      subusers: people.subusers,
      friends: [people.friends.here, people.friends.first],
    });
    const [scopes, wirings] = await Promise.all([
      findScopes(deps, call, walk, scope),
      findWirings(deps, call, walk, scope),
    ]);
    const viewOf = (part: 'first' | 'here'): TopologyView =>
      composeView(people.self, factsOf(people, { scopes, wirings }, part), scope);
    const whole = viewOf('first');
    const { view, next } = pageView(viewOf('here'), walk, limit, {
      scope: scopes.here?.nextPageToken ?? '',
      friends: people.friends.here?.nextPageToken ?? '',
      wiring: wirings.here?.nextPageToken ?? '',
    });
    return {
      view,
      revision: revisionOf(whole, [people.friends, scopes, wirings]),
      composedAt: deps.now(),
      text: call.pageToken === '' ? renderTopology(whole) : '',
      nextPageToken: next ? encodeWalk(next) : '',
      changesInMs: scopes.first?.changesInMs ?? 0,
    };
  };
}

/** The first part of an owner's lists, and the part in which the walk is. */
interface Parts<T> {
  readonly first: T | undefined;
  readonly here: T | undefined;
}

interface People {
  readonly self: Self;
  readonly subusers: SubuserFacts | undefined;
  readonly friends: Parts<FriendFacts>;
}

/** What those who belong to the viewer have. */
interface Things {
  readonly scopes: Parts<ScopeFacts>;
  readonly wirings: Parts<WiringFacts>;
}

async function findPeople(
  { owners, now, reportDown }: GetTopologyDeps,
  { viewer, deadline, signal }: GetTopologyCall,
  walk: Walk,
): Promise<People> {
  const patience = patienceUntil(deadline, now(), shares.people, signal);
  const ask = <T>(owner: string, asked: (patience: Patience) => Promise<T>) =>
    unlessDown(asked, patience, (error) => reportDown(owner, error));
  const isFenced = isSubuser(viewer);
  const [self, subusers, friends] = await Promise.all([
    ask('identity', async (limit) => ({ nametag: await nametagOf(owners, viewer, limit) })),
    isFenced ? undefined : ask('identity', (limit) => owners.listSubusers(viewer, limit)),
    isFenced
      ? { first: undefined, here: undefined }
      : readParts(walk.parts.friends, (pageToken) =>
          ask('social-graph', (limit) => owners.listFriends(viewer, pageToken, limit)),
        ),
  ]);
  return { self: { ...viewer, nametag: self?.nametag }, subusers, friends };
}

async function nametagOf(owners: Owners, viewer: Viewer, limit: Patience): Promise<string> {
  const nametag = await owners.findNametag(viewer, limit);
  if (nametag === undefined) throw notFound('User');
  return nametag;
}

async function findScopes(
  { owners, now, reportDown }: GetTopologyDeps,
  { includeDead, deadline, signal }: GetTopologyCall,
  walk: Walk,
  { userIds, gatewayUserIds }: Scope,
) {
  const patience = patienceUntil(deadline, now(), shares.scope, signal);
  return readParts(walk.parts.scope, (pageToken) =>
    unlessDown(
      (limit) => owners.listScope({ userIds, gatewayUserIds, includeDead, pageToken }, limit),
      patience,
      (error) => reportDown('agent-runtime', error),
    ),
  );
}

async function findWirings(
  { listWiring, now, reportDown }: GetTopologyDeps,
  { deadline, signal }: GetTopologyCall,
  walk: Walk,
  { userIds }: Scope,
) {
  const patience = patienceUntil(deadline, now(), shares.scope, signal);
  return readParts(walk.parts.wiring, (pageToken) =>
    unlessDown(
      () => listWiring({ userIds, pageToken }),
      patience,
      (error) => reportDown('topology', error),
    ),
  );
}

/** The first part is always read: the revision is made of it, whatever page is shown. */
async function readParts<T>(
  token: string,
  read: (token: string) => Promise<T | undefined>,
): Promise<Parts<T>> {
  const [first, here] = await Promise.all([read(''), token === '' ? undefined : read(token)]);
  return { first, here: token === '' ? first : here };
}

function factsOf(
  { subusers, friends }: People,
  { scopes, wirings }: Things,
  part: keyof Parts<unknown>,
): Facts {
  return { subusers, friends: friends[part], scope: scopes[part], wiring: wirings[part] };
}

function patienceUntil(deadline: number, now: Date, share: number, signal: AbortSignal): Patience {
  const leftMs = Math.max(0, deadline - now.getTime());
  return { timeoutMs: Math.max(1, Math.floor(Math.min(mostMs, leftMs * share))), signal };
}

/**
 * Of all that is seen: the first part of every list as it is, and what the owners say of the rest. Who
 * looks is no part of it.
 */
function revisionOf(
  { self: _self, ...sections }: TopologyView,
  owners: readonly Parts<{ readonly digest: string }>[],
): string {
  const rest = owners.map(({ first }) => first?.digest ?? '');
  const all = JSON.stringify([sections, rest]);
  return createHash('sha256').update(all).digest('base64url').slice(0, 22);
}

function check({ pageSize, pageToken }: GetTopologyCall): { walk: Walk; limit: number } {
  const checks = new FieldChecks();
  const limit = checks.pageSize(pageSize);
  const walk = pageToken === '' ? firstPage : decodeWalk(pageToken);
  checks.require(walk !== undefined, 'page_token', 'is not one that was given out here');
  checks.done();
  return { walk: walk ?? firstPage, limit };
}
