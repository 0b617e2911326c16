import { isForeign, lowestTrust, type Trust } from '@daycare/api';
import { severalWriters, writerOf, type ItemSource, type StartedBy } from '../../agents';
import { isFromSchedule, type AcceptedItem, type IncomingMessage } from './inbox-item';

/** Which of an agent's two queues an item belongs to. */
export type InboxLane = 'person' | 'other';

/** The source, trust and lane of an item, as its row stores them. */
export interface Provenance {
  readonly source: ItemSource;
  readonly trust: Trust;
  readonly lane: InboxLane;
}

/**
 * The trust of items from each source, unless the turn that caused the item had less. An ambiguous source gets the
 * lowest trust that it might deserve.
 */
const trustOf: Readonly<Record<ItemSource, Trust>> = {
  person: 'person',
  own_agent: 'own',
  owner_agent: 'own',
  schedule: 'own',
  friend: 'guest',
  guest: 'guest',
  stranger: 'outside',
  webhook: 'outside',
  // Anyone may have caused what the engine reports, so a report may carry a lower trust, that of its cause.
  engine: 'own',
  unknown: 'outside',
};

const friendPrefix = 'friend:';

/** Classifies an item; `ownerUserId` is the owner of the recipient's user, if that user is a subuser. */
export function provenanceOf(item: AcceptedItem, ownerUserId: string | undefined): Provenance {
  const source = sourceOf(item, ownerUserId);
  const causeTrust = trustOfCause(item);
  // A message inherits the trust of the turn that sent it.
  const trust = causeTrust ? lowestTrust(trustOf[source], causeTrust) : trustOf[source];
  return { source, trust, lane: laneOf(item) };
}

/** A person's items go first. Resets that an agent requests wait with everything else. */
function laneOf(item: AcceptedItem): InboxLane {
  if (item.kind === 'system_message') return 'other';
  return item.kind === 'reset' && item.byAgent ? 'other' : 'person';
}

/** Returns who started the turn that handles this item; for a permission decision, who started the turn that asked. */
export function startedByOf(item: AcceptedItem, ownerUserId: string | undefined): StartedBy {
  if (item.kind === 'permission_decision' && item.askedIn) return item.askedIn.startedBy;
  const { source, trust } = provenanceOf(item, ownerUserId);
  if (item.kind !== 'system_message') return { source, origin: '', byPerson: source === 'person' };
  const { origin, sender, senderUserId } = item;
  const nametag = nametagIn(origin, source);
  return {
    source,
    origin,
    ...(senderUserId ? { senderUserId } : {}),
    ...(sender ? { sender } : {}),
    ...(nametag ? { nametag } : {}),
    byPerson: source !== 'engine' && item.trust === 'person' && !isForeign(trust),
  };
}

/** Returns the nametag in the origin of a message from another user, `friend:<nametag>` or `subuser:<nametag>`. */
function nametagIn(origin: string, source: ItemSource): string | undefined {
  if (source !== 'friend' && source !== 'guest') return undefined;
  const [, nametag] = /^(?:friend|subuser):(.+)$/.exec(origin) ?? [];
  return nametag;
}

/**
 * Reports whether an item is private to its user, so that the recipient's guests must not see it. What a top-level user
 * writes to their own agents, including in a schedule or signal, is private, and so is the message of any reset of
 * these agents. For other messages, the label `carriesPrivate` of the sending turn decides. On a message from the
 * recipient's own user, this label always applies. On a message from a subuser's owner, which is meant for the subuser,
 * it applies only if the sending turn had the trust of a guest or outsider. A decision is private if the turn that
 * asked had read something private.
 */
export function isPrivateItem(item: AcceptedItem, ownerUserId: string | undefined): boolean {
  switch (item.kind) {
    case 'message':
      return ownerUserId === undefined;
    case 'reset':
      return item.message !== '' && (ownerUserId === undefined || item.carriesPrivate === true);
    case 'stop':
      return false;
    case 'permission_decision':
      return item.askedIn?.readPrivate === true;
    case 'system_message':
      if (ownerUserId === undefined && isPersonal(provenanceOf(item, ownerUserId))) return true;
      return item.carriesPrivate === true && doesPrivateLabelApply(item, ownerUserId);
  }
}

/**
 * Returns the guest or outsider whose words an item contains, so that these words can be kept private from everyone
 * else: `severalWriters` if there may be several or the writer is unknown, undefined if the item contains no such
 * words. An item from the user's own agent, schedule or signal names the writer whose words were in the sending turn. A
 * decision names the writer whose words were in the turn that asked. A notice from the engine quotes only the writer
 * that it names.
 */
export function foreignWriterOf(
  item: AcceptedItem,
  ownerUserId: string | undefined,
): string | undefined {
  if (item.kind === 'reset') return item.message === '' ? undefined : item.foreignWriter;
  if (item.kind === 'permission_decision') return item.askedIn?.foreignWriter;
  if (item.kind !== 'system_message') return undefined;
  const { source, trust } = provenanceOf(item, ownerUserId);
  const writer = writerOf({ ...item, source });
  if (writer !== undefined) return writer;
  const named = item.senderUserId === item.userId ? item.foreignWriter : undefined;
  return source === 'engine' ? named : (named ?? (isForeign(trust) ? severalWriters : undefined));
}

/** What the user writes in a schedule or a signal is as private as the user's messages to their agents. */
function isPersonal({ source, trust }: Provenance): boolean {
  return (source === 'schedule' || source === 'person') && !isForeign(trust);
}

/** Reports whether the label `carriesPrivate` applies to a message; see `isPrivateItem`. */
function doesPrivateLabelApply(
  { userId, senderUserId, trust }: IncomingMessage,
  ownerUserId: string | undefined,
): boolean {
  if (senderUserId === userId) return true;
  return senderUserId === ownerUserId && trust !== undefined && isForeign(trust);
}

/**
 * Reports whether an item's text is to be treated as the user's own words: its trust is neither `guest` nor `outside`.
 */
export function isOwnWords({ trust }: Pick<Provenance, 'trust'>): boolean {
  return !isForeign(trust);
}

/** Returns the trust of the turn that caused an item, if a turn did. */
function trustOfCause(item: AcceptedItem): Trust | undefined {
  if (item.kind === 'system_message' || item.kind === 'reset') return item.trust;
  return item.kind === 'permission_decision' ? item.askedIn?.trust : undefined;
}

function sourceOf(item: AcceptedItem, ownerUserId: string | undefined): ItemSource {
  switch (item.kind) {
    case 'message':
    case 'permission_decision':
    case 'stop':
      return 'person';
    case 'reset':
      return item.byAgent ? 'own_agent' : 'person';
    case 'system_message':
      return item.sender
        ? sourceBySender(item.sender.userId, item, ownerUserId)
        : sourceByOrigin(item, ownerUserId);
  }
}

function sourceBySender(
  senderUserId: string,
  { userId, origin }: IncomingMessage,
  ownerUserId: string | undefined,
): ItemSource {
  if (senderUserId === userId) return 'own_agent';
  if (senderUserId === ownerUserId) return 'owner_agent';
  return origin.startsWith(friendPrefix) ? 'friend' : 'guest';
}

/**
 * Reports whether a notice from the engine involves only the recipient's user and that user's owner. A notice about
 * another user's agents may contain that user's text.
 */
function isOwnNotice({ userId, senderUserId }: IncomingMessage, ownerUserId?: string) {
  return senderUserId === undefined || senderUserId === userId || senderUserId === ownerUserId;
}

/** Returns the source of a message that no agent sent. The origin `system` is reserved for the engine. */
function sourceByOrigin(item: IncomingMessage, ownerUserId: string | undefined): ItemSource {
  const { origin, fromStranger, userId, senderUserId } = item;
  // The owner wrote to its subuser by nametag.
  if (origin.startsWith('owner:') && senderUserId !== undefined && senderUserId === ownerUserId)
    return 'owner_agent';
  if (isFromSchedule(origin)) return 'schedule';
  if (origin === 'system') return isOwnNotice(item, ownerUserId) ? 'engine' : 'guest';
  if (origin.startsWith(friendPrefix)) return fromStranger ? 'stranger' : 'friend';
  if (origin.startsWith('signal:')) return senderUserId === userId ? 'person' : 'unknown';
  return origin.startsWith('webhook:') ? 'webhook' : 'unknown';
}
