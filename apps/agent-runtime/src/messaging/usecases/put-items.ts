import type { Agent } from '../../agents';
import type { MessageTie } from '../domain/closed-tie';
import type { AcceptedItem } from '../domain/inbox-item';
import type { PlaceItems } from './place-items';

export interface AddressedItem {
  readonly agent: Agent;
  readonly item: AcceptedItem;
  /** Present only when a person posts the item: the sequence of the newest record, returned again to a retry. */
  readonly afterSequence?: number;
  /** The tie that the item needs. */
  readonly tie?: MessageTie | undefined;
}

/**
 * Puts items into the inboxes of single agents, in this order, and wakes the agents. An item that its user has
 * received before changes nothing; resolves with the ids of the agents to which such items were addressed.
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
