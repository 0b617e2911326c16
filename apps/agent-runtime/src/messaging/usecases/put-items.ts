import type { Agent } from '../../agents';
import type { MessageTie } from '../domain/closed-tie';
import type { AcceptedItem } from '../domain/inbox-item';
import type { PlaceItems } from './place-items';

export interface AddressedItem {
  readonly agent: Agent;
  readonly item: AcceptedItem;
  /** Only for a person's item: the sequence number of the agent's newest record; a retry returns the same number. */
  readonly afterSequence?: number;
  /** The tie that allows the item; once the tie has ended, the item must not be delivered. */
  readonly tie?: MessageTie | undefined;
}

/**
 * Puts each item into the inbox of one agent, in this order, and wakes the agents. An item that its user has received
 * before is a duplicate and is not stored again; resolves with the ids of the agents to which duplicates were
 * addressed.
 */
export type PutItems = (addressed: readonly AddressedItem[]) => Promise<readonly string[]>;

export function makePutItems(placeItems: PlaceItems): PutItems {
  return async (addressed) => {
    const outcomes = await placeItems(
      addressed.map(({ agent, ...rest }) => ({ ...rest, recipients: [agent] })),
    );
    return addressed
      .filter((_, index) => outcomes[index] === 'duplicate')
      .map(({ agent }) => agent.id);
  };
}
