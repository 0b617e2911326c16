import { isForeign, type Trust } from '@daycare/api';
import type { AgentAddress } from './agent';

export const itemSources = [
  'person',
  'own_agent',
  'owner_agent',
  'schedule',
  'friend',
  'guest',
  'stranger',
  'webhook',
  'engine',
  'unknown',
] as const;

/** Where an item came from, which limits how far it is trusted. */
export type ItemSource = (typeof itemSources)[number];

/**
 * Who started a turn: the sender of the item that it answers, or of the least trusted item if it answers
 * several.
 */
export interface StartedBy {
  readonly source: ItemSource;
  /** The origin as the model sees it; empty when a person wrote. */
  readonly origin: string;
  /** The user on whose behalf it was sent; absent when there is none. */
  readonly senderUserId?: string;
  /** The agent that sent it; absent when none did. */
  readonly sender?: AgentAddress;
  /** The nametag of the friend, or of the friend's subuser, that wrote; absent when neither did. */
  readonly nametag?: string;
  /** Whether the chain that led here began with the user in person. */
  readonly byPerson: boolean;
}

/** For calls that the user makes, and messages that the user writes, in person. */
export const startedByPerson: StartedBy = { source: 'person', origin: '', byPerson: true };

/** Reports whether an answer goes back to someone other than the user: a friend, a guest or the owner's agent. */
export function isAnswerable({ source }: Pick<StartedBy, 'source'>): boolean {
  return source === 'friend' || source === 'guest' || source === 'owner_agent';
}

/**
 * Returns the trust that a turn's messages carry. `person` means that the chain began with the user in person; even so,
 * the recipient of an agent's message trusts it no more than `own`.
 */
export function trustToPassOn(trust: Trust, { byPerson }: Pick<StartedBy, 'byPerson'>): Trust {
  return byPerson && !isForeign(trust) ? 'person' : trust;
}

/** Used instead of a writer's id for several writers, or for an unknown one. */
export const severalWriters = 'several';

/**
 * Returns the guest or outsider who started a turn: a user id, the origin of a webhook, or `severalWriters` if the
 * writer is unknown. Returns undefined when neither a guest nor an outsider wrote the words, or when one of the user's
 * agents passed them on.
 */
export function writerOf({
  source,
  origin,
  senderUserId = severalWriters,
}: Pick<StartedBy, 'source' | 'origin' | 'senderUserId'>): string | undefined {
  if (source === 'webhook') return origin;
  if (source === 'unknown') return severalWriters;
  return source === 'friend' || source === 'guest' || source === 'stranger'
    ? senderUserId
    : undefined;
}

/** Merges the foreign writers of several contexts or messages; returns `severalWriters` if they differ. */
export function mergeWriters(...writers: readonly (string | undefined)[]): string | undefined {
  const known = new Set(writers.filter((writer) => writer !== undefined));
  return known.size > 1 ? severalWriters : [...known][0];
}

/** What a turn knows; determines whether it has private information that its starter must not receive. */
export interface TurnKnowledge {
  /** Whether it has read or received something private to the user. */
  readonly readPrivate: boolean;
  /** The guest or outsider whose words are in its context; absent when there are none. */
  readonly foreignWriter?: string | undefined;
  /** Present where guests share one conversation: what one of them wrote is not private there. */
  readonly isShared?: true | undefined;
  readonly startedBy: Pick<StartedBy, 'source' | 'origin' | 'senderUserId'>;
}

/** Reports whether a turn knows what must be kept from its starter: the user's own data, or someone else's words. */
export function knowsPrivateData(turn: TurnKnowledge): boolean {
  const { readPrivate, foreignWriter, startedBy } = turn;
  if (readPrivate || !carriesPrivate(turn)) return readPrivate;
  return foreignWriter === severalWriters || foreignWriter !== writerOf(startedBy);
}

/**
 * Reports whether messages that a turn sends through other services (to channels, signals and friends) are marked as
 * private. Such messages do not name the writer of foreign words, so foreign words make them private too, except where
 * guests share one conversation.
 */
export function carriesPrivate({
  readPrivate,
  foreignWriter,
  isShared,
}: Pick<Partial<TurnKnowledge>, 'readPrivate' | 'foreignWriter' | 'isShared'>): boolean {
  return readPrivate === true || (foreignWriter !== undefined && !isShared);
}
