import type { InsertOutcome } from '@daycare/mongo';
import type { Agent, AgentWriter } from '../../../agents';
import type { AcceptedItem } from '../../domain/inbox-item';
import type { PlacedItem } from '../../domain/placed-item';
import type { InboxStore } from '../../store/inbox-store';

export interface PlaceDeps {
  readonly agents: Pick<AgentWriter, 'touch'>;
  readonly inbox: Pick<InboxStore, 'put'>;
  readonly notify: NotifyAgents;
}

/** Notifies whoever runs or watches these agents that the agents have waiting items. */
export type NotifyAgents = (agents: readonly Agent[]) => void;

/**
 * Stores items in the given order and wakes their agents. Nothing else stores items. Returns the outcome of each item,
 * in the same order: `duplicate` for an item that its user has received before, which is not stored again.
 */
export type PlaceItems = (placed: readonly PlacedItem[]) => Promise<readonly InsertOutcome[]>;

export function makePlaceItems({ agents, inbox, notify }: PlaceDeps): PlaceItems {
  return async (placed) => {
    const [outcomes] = await Promise.all([inbox.put(placed), touch(agents, placed)]);
    notify([...new Set(placed.flatMap(({ recipients }) => recipients))]);
    return outcomes;
  };
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
