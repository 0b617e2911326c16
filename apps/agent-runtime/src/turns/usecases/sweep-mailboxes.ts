import type { AgentReader } from '../../agents';
import type { MailboxReader, RouteMailbox } from '../../messaging';

export interface SweepMailboxesDeps {
  readonly agents: AgentReader;
  readonly mailbox: MailboxReader;
  readonly routeMailbox: RouteMailbox;
  readonly servedShards: () => readonly number[];
  readonly now: () => Date;
}

/**
 * Only users whose foreground agent is younger than this are checked. After a longer outage, a user's mail waits
 * until another message for them arrives. Each sweep reads one index entry per agent created in this time.
 */
const maxAgentAgeMs = 60 * 60_000;

/**
 * Delivers mail that is still waiting although its user has a foreground agent, because the process that created
 * the agent may have died before emptying the mailbox.
 */
export function makeSweepMailboxes({
  agents,
  mailbox,
  routeMailbox,
  servedShards,
  now,
}: SweepMailboxesDeps) {
  return async (): Promise<void> => {
    const since = new Date(now().getTime() - maxAgentAgeMs);
    const users = await agents.listUsersWithNewForeground(servedShards(), since);
    if (users.length === 0) return;
    for (const userId of await mailbox.usersWithUnrouted(users)) await routeMailbox(userId);
  };
}
