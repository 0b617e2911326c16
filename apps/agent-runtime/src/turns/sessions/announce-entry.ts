import { type AgentWriter, type HistoryEntry, recordsOf, waitOf } from '../../agents';
import type { LiveFeed } from '../../messaging';
import type { MeterCalls } from '../../spending';

export interface AnnounceDeps {
  readonly agents: Pick<AgentWriter, 'setWaiting' | 'touch'>;
  readonly feed: Pick<LiveFeed, 'publishRecords'>;
  readonly meter: Pick<MeterCalls, 'settle'>;
  /** Notifies the watchers of the user's agents. */
  readonly hintUser: (userId: string) => void;
  /** Counts entries for metrics. */
  readonly observeEntry: (entry: HistoryEntry) => void;
  readonly log: { warn(fields: object, text: string): void };
}

/**
 * Announces a stored entry: watchers receive its records, the agent counts as active, lists show whether
 * it is waiting, and the reservation of its model call is settled. A crash may lose any of this.
 */
export function makeAnnounceEntry(deps: AnnounceDeps) {
  const { agents, feed, meter, log } = deps;
  return (entry: HistoryEntry): void => {
    const { agentId, at, state, feed: connector } = entry;
    meter.settle(entry);
    deps.observeEntry(entry);
    if (entry.events.length > 0)
      feed.publishRecords({ agentId, feed: connector }, recordsOf(entry));
    showWait(entry, deps);
    // A silent entry does not count as activity.
    if (state.busyAt?.getTime() !== at.getTime()) return;
    agents.touch([agentId], at).catch((error: unknown) => {
      log.warn({ err: error, agentId }, 'recording the activity of an agent failed; not retrying');
    });
  };
}

function showWait(
  { agentId, userId, state }: HistoryEntry,
  { agents, hintUser, log }: AnnounceDeps,
): void {
  const waiting = waitOf(state.current);
  if (!waiting && !state.endsWait) return;
  agents.setWaiting({ agentId, userId }, waiting).then(
    () => hintUser(userId),
    (error: unknown) =>
      log.warn({ err: error, agentId }, 'cannot record whether an agent is waiting; not retrying'),
  );
}
