import { type AgentWriter, type HistoryEntry, recordsOf } from '../../agents';
import type { LiveFeed } from '../../messaging';
import type { MeterCalls } from '../../spending';

export interface AnnounceDeps {
  readonly agents: Pick<AgentWriter, 'touch'>;
  readonly feed: Pick<LiveFeed, 'publishRecords'>;
  readonly meter: Pick<MeterCalls, 'settle'>;
  readonly log: { warn(fields: object, text: string): void };
}

/**
 * Follows a stored entry: watchers receive its records, the agent counts as active, and the reservation of its
 * model call is settled. All of it may be lost.
 */
export function makeAnnounceEntry({ agents, feed, meter, log }: AnnounceDeps) {
  return (entry: HistoryEntry): void => {
    const { agentId, at, state } = entry;
    meter.settle(entry);
    if (entry.events.length > 0) feed.publishRecords(agentId, recordsOf(entry));
    // A silent entry leaves the time as it was.
    if (state.busyAt?.getTime() !== at.getTime()) return;
    agents.touch([agentId], at).catch((error: unknown) => {
      log.warn({ err: error, agentId }, 'recording the activity of an agent failed');
    });
  };
}
