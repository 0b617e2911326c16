import { encodePageToken, FieldChecks, isTime, type PageCursor, readPageToken } from '@daycare/api';
import type { Channel } from '../../domain/channels/channel';
import type { Endpoint } from '../../domain/endpoints/endpoint';
import type { Subscription } from '../../domain/signals/signal';
import type { Listed, WiringFacts } from '../../domain/view/facts';
import type { ChannelPosition, ChannelStore } from '../../store/channel-store';
import type { EndpointStore, ScopePosition } from '../../store/endpoint-store';
import type { SubscriptionStore } from '../../store/subscription-store';
import type { SurveyWiring, WiringSurvey } from '../../store/survey-wiring';

export interface WiringRequest {
  /** Computed for the viewer by `scopeOf`. */
  readonly userIds: readonly string[];
  readonly pageToken: string;
  /** The caller's earlier result for the same users; returned unchanged while it is current. */
  readonly known?: WiringFacts | undefined;
}

export interface ListWiringDeps {
  readonly subscriptions: SubscriptionStore;
  readonly channels: ChannelStore;
  readonly endpoints: EndpointStore;
  readonly surveyWiring: SurveyWiring;
}

/** Where each list continues; undefined at its beginning, `ended` once all of it has been read. */
interface Positions {
  readonly subscriptions: ScopePosition | 'ended' | undefined;
  readonly channels: ChannelPosition | 'ended' | undefined;
  readonly endpoints: ScopePosition | 'ended' | undefined;
}

/** The maximum number of entries of each list per page, the same as in the other services. */
const pageSize = 1_000;
const beginning: Positions = {
  subscriptions: undefined,
  channels: undefined,
  endpoints: undefined,
};

/** Lists how the users' agents are wired: one query for all counts and digests, and one per list that is not empty. */
export type ListWiring = (request: WiringRequest) => Promise<WiringFacts>;

export function makeListWiring(deps: ListWiringDeps): ListWiring {
  return async ({ userIds, pageToken, known }) => {
    const after = readPositions(pageToken);
    // Computed before the lists are read, so a change made in the meantime changes the next digest.
    const survey = await deps.surveyWiring(userIds);
    const digest = digestOf(survey);
    if (known?.digest === digest) return known;
    const read = makeReadList(userIds);
    const [subscriptions, channels, endpoints] = await Promise.all([
      read(deps.subscriptions, survey.subscriptions.count, after.subscriptions),
      read(deps.channels, survey.channels.count, after.channels),
      read(deps.endpoints, survey.endpoints.count, after.endpoints),
    ]);
    return {
      subscriptions: subscriptions.listed,
      channels: channels.listed,
      endpoints: endpoints.listed,
      nextPageToken: tokenOf(subscriptions.last, channels.last, endpoints.last),
      digest,
    };
  };
}

/** What the three stores have in common. */
interface ScopedStore<P, T> {
  listScope(listing: {
    readonly userIds: readonly string[];
    readonly after: P | undefined;
    readonly limit: number;
  }): Promise<T[]>;
}

/** Makes a function that reads a page of one list; `last` is the page's last entry if more entries follow. */
function makeReadList(userIds: readonly string[]) {
  const limit = pageSize + 1;
  return async <P, T>(
    store: ScopedStore<P, T>,
    count: number,
    after: P | 'ended' | undefined,
  ): Promise<{ readonly listed: Listed<T>; readonly last: T | undefined }> => {
    const isEmpty = after === 'ended' || count === 0;
    const stored = isEmpty ? [] : await store.listScope({ userIds, after, limit });
    const entries = stored.slice(0, pageSize);
    const last = stored.length > pageSize ? entries.at(-1) : undefined;
    return { listed: { entries, count }, last };
  };
}

function digestOf({ subscriptions, channels, endpoints }: WiringSurvey): string {
  return [subscriptions, channels, endpoints].map(({ digest }) => digest).join('.');
}

/** An empty user id marks a list that has ended. */
function tokenOf(
  subscription: Subscription | undefined,
  channel: Channel | undefined,
  endpoint: Endpoint | undefined,
): string {
  if (!subscription && !channel && !endpoint) return '';
  const channelKey = [channel?.userId ?? '', channel?.name ?? ''];
  return encodePageToken([...keyOf(subscription), ...channelKey, ...keyOf(endpoint)]);
}

function keyOf(last: ScopePosition | undefined): PageCursor {
  return last ? [last.userId, last.createdAt.getTime(), last.id] : ['', 0, ''];
}

function readPositions(pageToken: string): Positions {
  const checks = new FieldChecks();
  const positions = readPageToken(pageToken, checks, readCursor);
  checks.done();
  return positions ?? beginning;
}

function readCursor(cursor: PageCursor): Positions | undefined {
  const [userId, createdMs, id, channelUserId, name, ...endpointKey] = cursor;
  const subscriptions = readKey([userId, createdMs, id]);
  const endpoints = readKey(endpointKey);
  if (!subscriptions || !endpoints) return undefined;
  if (typeof channelUserId !== 'string' || typeof name !== 'string') return undefined;
  const channels = channelUserId === '' ? 'ended' : { userId: channelUserId, name };
  return { subscriptions, channels, endpoints };
}

function readKey(key: readonly (string | number | undefined)[]): Positions['endpoints'] {
  const [userId, createdMs, id, ...rest] = key;
  const areStrings = typeof userId === 'string' && typeof id === 'string';
  if (!areStrings || !isTime(createdMs) || rest.length > 0) return undefined;
  return userId === '' ? 'ended' : { userId, createdAt: new Date(createdMs), id };
}
