import { lowestTrust, type Trust } from '@daycare/api';
import {
  type CurrentWork,
  mergeWriters,
  type StartedBy,
  type UserMessageEvent,
} from '../../agents';
import {
  foreignWriterOf,
  type InboxItem,
  isPrivateItem,
  provenanceOf,
  startedByOf,
} from '../../messaging';

type Items = readonly [InboxItem, ...InboxItem[]];
type Origin = Pick<
  CurrentWork,
  'messageIds' | 'hops' | 'startedBy' | 'hasReadForeign' | 'traceparent'
>;

/** Returns what is known about a turn from the items that it answers. */
export function originOf(items: Items, ownerUserId: string | undefined): Origin {
  const { traceparent } = items.find((each) => each.traceparent !== undefined) ?? {};
  return {
    messageIds: items.map(({ messageId }) => messageId),
    hops: Math.max(...items.map(hopsOf)),
    startedBy: starterOf(items, ownerUserId),
    ...(items.some(hasReadForeign) ? { hasReadForeign: true } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Returns the number of agents in the chain that led to an item. */
function hopsOf(item: InboxItem): number {
  if (item.kind === 'system_message') return item.hops;
  return item.kind === 'permission_decision' ? (item.askedIn?.hops ?? 0) : 0;
}

/**
 * Reports whether the item is a decision on a request from a turn that had read what guests or outsiders wrote. The
 * turn that handles the decision counts as having read it, too.
 */
function hasReadForeign(item: InboxItem): boolean {
  return item.kind === 'permission_decision' && item.askedIn?.hasReadForeign === true;
}

type ItemLabel = Pick<UserMessageEvent, 'isPrivate' | 'foreignWriter'>;

/** Returns the items' labels for the context: whether they are private, and whose foreign words they contain. */
export function labelOf(items: readonly InboxItem[], ownerUserId: string | undefined): ItemLabel {
  const isPrivate = items.some((item) => isPrivateItem(item, ownerUserId));
  const foreignWriter = mergeWriters(...items.map((item) => foreignWriterOf(item, ownerUserId)));
  return {
    ...(isPrivate ? { isPrivate } : {}),
    ...(foreignWriter === undefined ? {} : { foreignWriter }),
  };
}

/** Returns the lowest trust among the items that a turn answers. The turn's trust may be lower: see `beginWork`. */
export function trustOf(items: Items, ownerUserId: string | undefined): Trust {
  const [first, ...others] = items.map((item) => provenanceOf(item, ownerUserId).trust);
  return lowestTrust(first ?? 'outside', ...others);
}

/**
 * Returns who started the turn: the sender of an item with the lowest trust. The turn counts as begun by a person
 * only if a person is behind every item.
 */
function starterOf(items: Items, ownerUserId: string | undefined): StartedBy {
  const trust = trustOf(items, ownerUserId);
  const lowest = items.find((item) => provenanceOf(item, ownerUserId).trust === trust) ?? items[0];
  const byPerson = items.every((item) => startedByOf(item, ownerUserId).byPerson);
  return { ...startedByOf(lowest, ownerUserId), byPerson };
}
