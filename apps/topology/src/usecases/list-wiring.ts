import {
  encodePageToken,
  FieldChecks,
  isTime,
  type PageCursor,
  readPageToken,
} from '@daycare/errors';
import type { Channel } from '../domain/channel';
import type { Endpoint } from '../domain/endpoint';
import type { WiringFacts } from '../domain/facts';
import type { Subscription } from '../domain/signal';
import type { ChannelPlace, ChannelStore } from '../store/channel-store';
import type { EndpointStore, ScopePlace } from '../store/endpoint-store';
import type { SubscriptionPlace, SubscriptionStore } from '../store/subscription-store';

export interface WiringWish {
  /** Settled for the viewer by `scopeOf`. */
  readonly userIds: readonly string[];
  readonly pageToken: string;
}

export interface ListWiringDeps {
  readonly subscriptions: SubscriptionStore;
  readonly channels: ChannelStore;
  readonly endpoints: EndpointStore;
}

/** Where each list goes on; undefined for its beginning, `ended` when it has come to its end. */
interface Places {
  readonly subscriptions: SubscriptionPlace | 'ended' | undefined;
  readonly channels: ChannelPlace | 'ended' | undefined;
  readonly endpoints: ScopePlace | 'ended' | undefined;
}

/** As many of each list as the owners of other facts give at once. */
const pageSize = 1_000;
const beginning: Places = { subscriptions: undefined, channels: undefined, endpoints: undefined };

/** How the agents of a set of users are wired: two queries for each list, however long it is. */
export type ListWiring = (wish: WiringWish) => Promise<WiringFacts>;

export function makeListWiring(deps: ListWiringDeps): ListWiring {
  const { subscriptions, channels, endpoints } = deps;
  return async ({ userIds, pageToken }) => {
    const places = readPlaces(pageToken);
    const limit = pageSize + 1;
    const [heard, heardCount, groups, groupCount, exposed, exposedCount] = await Promise.all([
      unlessEnded(places.subscriptions, (after) =>
        subscriptions.listScope({ userIds, after, limit }),
      ),
      subscriptions.countScope(userIds),
      unlessEnded(places.channels, (after) => channels.listScope({ userIds, after, limit })),
      channels.countScope(userIds),
      unlessEnded(places.endpoints, (after) => endpoints.listScope({ userIds, after, limit })),
      endpoints.countScope(userIds),
    ]);
    const nextPageToken = tokenOf(lastOf(heard), lastOf(groups), lastOf(exposed));
    const isWhole = pageToken === '' && nextPageToken === '';
    return {
      subscriptions: { entries: heard.slice(0, pageSize), count: heardCount },
      channels: { entries: groups.slice(0, pageSize), count: groupCount },
      endpoints: { entries: exposed.slice(0, pageSize), count: exposedCount },
      nextPageToken,
      digest: isWhole ? '' : await digestOf(deps, userIds),
    };
  };
}

async function digestOf(deps: ListWiringDeps, userIds: readonly string[]): Promise<string> {
  const stores = [deps.subscriptions, deps.channels, deps.endpoints];
  return (await Promise.all(stores.map((store) => store.digestScope(userIds)))).join('.');
}

async function unlessEnded<P, T>(
  place: P | 'ended' | undefined,
  read: (after: P | undefined) => Promise<T[]>,
): Promise<T[]> {
  return place === 'ended' ? [] : read(place);
}

/** The last one shown when there is more. */
function lastOf<T>(found: readonly T[]): T | undefined {
  return found.length > pageSize ? found[pageSize - 1] : undefined;
}

/** An empty user id stands for a list that has come to its end. */
function tokenOf(
  heard: Subscription | undefined,
  group: Channel | undefined,
  exposed: Endpoint | undefined,
): string {
  if (!heard && !group && !exposed) return '';
  const groupKey = [group?.userId ?? '', group?.name ?? ''];
  return encodePageToken([...keyOf(heard), ...groupKey, ...keyOf(exposed)]);
}

function keyOf(last: ScopePlace | undefined): PageCursor {
  return last ? [last.userId, last.createdAt.getTime(), last.id] : ['', 0, ''];
}

function readPlaces(pageToken: string): Places {
  const checks = new FieldChecks();
  const places = readPageToken(pageToken, checks, readCursor);
  checks.done();
  return places ?? beginning;
}

function readCursor(cursor: PageCursor): Places | undefined {
  const [userId, createdMs, id, groupUserId, name, ...exposed] = cursor;
  const subscriptions = readKey([userId, createdMs, id]);
  const endpoints = readKey(exposed);
  if (!subscriptions || !endpoints) return undefined;
  if (typeof groupUserId !== 'string' || typeof name !== 'string') return undefined;
  const channels = groupUserId === '' ? 'ended' : { userId: groupUserId, name };
  return { subscriptions, channels, endpoints };
}

function readKey(key: readonly (string | number | undefined)[]): ScopePlace | 'ended' | undefined {
  const [userId, createdMs, id, ...rest] = key;
  const areTexts = typeof userId === 'string' && typeof id === 'string';
  if (!areTexts || !isTime(createdMs) || rest.length > 0) return undefined;
  return userId === '' ? 'ended' : { userId, createdAt: new Date(createdMs), id };
}
