import type { Agent } from '../../agents';
import type { MessageTie } from './closed-tie';
import type { AcceptedItem } from './inbox-item';

/** What the inbox stores about an agent that receives an item. */
export type Recipient = Pick<Agent, 'id' | 'shard' | 'ownerUserId'>;

/** An item for some of a user's agents; without recipients, it waits for the user's first foreground agent. */
export interface PlacedItem<R extends Recipient = Agent> {
  readonly item: AcceptedItem;
  /** The first one, the lead, runs a turn to handle the item; the others only record it. */
  readonly recipients: readonly R[];
  /**
   * Only for an item that a person posts: the sequence number of the agent's newest record at that time. A retry
   * returns the same number.
   */
  readonly afterSequence?: number;
  /** The tie that allows the item; once the tie has ended, the item must not be delivered. */
  readonly tie?: MessageTie | undefined;
  /** The closing that already forbids the item, if any; the item's id is then remembered, but it is not delivered. */
  readonly droppedBy?: MessageTie | undefined;
}
