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

/** Where an item came from and how far it is trusted. */
export type ItemSource = (typeof itemSources)[number];

/** Who started a turn: the sender of the item it answers; of several, of one with the lowest trust. */
export interface StartedBy {
  readonly source: ItemSource;
  /** As the model sees it; empty when a person wrote. */
  readonly origin: string;
  /** The user on whose behalf it was sent; absent when there is none. */
  readonly senderUserId?: string;
  /** The agent that sent it; absent when none did. */
  readonly sender?: AgentAddress;
  /** The nametag of the friend who wrote, or of the subuser that answers; absent otherwise. */
  readonly nametag?: string;
  /** Whether the user in person began the chain that led here. */
  readonly byPerson: boolean;
}

/** The user itself makes a call or writes a message. */
export const startedByPerson: StartedBy = { source: 'person', origin: '', byPerson: true };

/** Whether an answer goes back to the sender: a friend, a guest or the owner, none of whom is the user. */
export function isAnswerable({ source }: Pick<StartedBy, 'source'>): boolean {
  return source === 'friend' || source === 'guest' || source === 'owner_agent';
}

/**
 * The trust that a turn's messages carry. `person` means that the user in person began the chain; a recipient of
 * an agent's message still treats it as `own` at most.
 */
export function trustToPassOn(trust: Trust, { byPerson }: Pick<StartedBy, 'byPerson'>): Trust {
  return byPerson && !isForeign(trust) ? 'person' : trust;
}
