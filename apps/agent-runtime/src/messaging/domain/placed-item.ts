import type { Agent } from '../../agents';
import type { MessageTie } from './closed-tie';
import type { AcceptedItem } from './inbox-item';

/** The fields of an agent that are needed to store an item for it. */
export type Recipient = Pick<Agent, 'id' | 'shard' | 'ownerUserId'>;

/**
 * An item for some of a user's agents. Without recipients, it waits in the mailbox for the user's first foreground
 * agent, unless `droppedBy` is set.
 */
export interface PlacedItem<R extends Recipient = Agent> {
  readonly item: AcceptedItem;
  /**
   * The first one, the lead, handles the item, in a turn if it is a message that is not silent; the others only record
   * it.
   */
  readonly recipients: readonly R[];
  /**
   * Only for a person's message (`PostMessage`, or the steering text of a stop): the sequence number of the agent's
   * newest record when the message was accepted, which `PostMessage` returns even if it is retried later.
   */
  readonly afterSequence?: number;
  /** The tie that allows the item; once the tie has ended, the item must not be delivered. */
  readonly tie?: MessageTie | undefined;
  /**
   * Set if the tie, or its subuser's share, has already ended: the closing that forbids the item. The item is then
   * stored only so that its id is recognised, and is not delivered.
   */
  readonly droppedBy?: MessageTie | undefined;
}
