import type { InsertOutcome } from '@daycare/mongo';
import type { Agent, AgentWriter } from '../../agents';
import type { MessageTie } from '../domain/closed-tie';
import type { AcceptedItem } from '../domain/inbox-item';
import type { Recipients } from '../store/inbox-row';
import type { InboxStore } from '../store/inbox-store';

export interface PlaceDeps {
  readonly agents: Pick<AgentWriter, 'touch'>;
  readonly inbox: InboxStore;
  readonly notify: NotifyAgents;
}

/** Notifies whoever runs or watches these agents that the agents have waiting items. */
export type NotifyAgents = (agents: readonly Agent[]) => void;

/** An item for some of a user's agents; without recipients, it waits for the user's first foreground agent. */
export interface PlacedItem {
  /** The first one runs a turn to handle the item; the others only record it. */
  readonly recipients: readonly Agent[];
  readonly item: AcceptedItem;
  /**
   * Only for an item that a person posts: the sequence number of the agent's newest record at that time. A retry
   * returns the same number.
   */
  readonly afterSequence?: number;
  /** The tie that allows the item. */
  readonly tie?: MessageTie | undefined;
  /** The closing that already forbids the item, if any; the item's id is then remembered, but it is not delivered. */
  readonly droppedBy?: MessageTie | undefined;
}

/**
 * Stores items in the given order and wakes their agents. Nothing else stores items. An item that its user has received
 * before is not stored again.
 */
export type PlaceItems = (placed: readonly PlacedItem[]) => Promise<readonly InsertOutcome[]>;

export function makePlaceItems({ agents, inbox, notify }: PlaceDeps): PlaceItems {
  return async (placed) => {
    const [outcomes] = await Promise.all([
      inbox.put(
        placed.map(({ recipients, ...rest }) => ({
          ...rest,
          recipients: toRecipients(recipients),
        })),
      ),
      touch(agents, placed),
    ]);
    notify([...new Set(placed.flatMap(({ recipients }) => recipients))]);
    return outcomes;
  };
}

/** Makes the first agent the lead and the others listeners; undefined when there are no agents. */
export function toRecipients([lead, ...others]: readonly Agent[]): Recipients | undefined {
  if (!lead) return undefined;
  const { id: leadId, shard, ownerUserId } = lead;
  return { leadId, listenerIds: others.map(({ id }) => id), shard, ownerUserId };
}

/** Records activity that keeps the lead agents awake. Silent items do not count, and listeners are not kept awake. */
async function touch(agents: PlaceDeps['agents'], placed: readonly PlacedItem[]): Promise<void> {
  const loud = placed.filter(({ item }) => !isSilent(item));
  await Promise.all([
    touchLeads(agents, loud.filter(isByPerson), true),
    touchLeads(
      agents,
      loud.filter((each) => !isByPerson(each)),
      false,
    ),
  ]);
}

async function touchLeads(
  agents: PlaceDeps['agents'],
  placed: readonly PlacedItem[],
  byPerson: boolean,
): Promise<void> {
  const leads = placed.flatMap(({ recipients }) => recipients.slice(0, 1));
  if (leads.length === 0) return;
  const newest = new Date(Math.max(...placed.map(({ item }) => item.acceptedAt.getTime())));
  await agents.touch([...new Set(leads.map(({ id }) => id))], newest, byPerson);
}

function isByPerson({ afterSequence }: PlacedItem): boolean {
  return afterSequence !== undefined;
}

function isSilent(item: AcceptedItem): boolean {
  return item.kind === 'system_message' && item.silent;
}
