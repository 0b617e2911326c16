import type { AgentReader } from '../agents';
import type { MailboxReader, RouteMailbox } from '../messaging';

export interface SweepMailboxesDeps {
  readonly agents: AgentReader;
  readonly mailbox: MailboxReader;
  readonly routeMailbox: RouteMailbox;
  readonly servedShards: () => readonly number[];
  readonly now: () => Date;
}

/**
 * Only the users of agents younger than this are checked, so an outage may last this long: mail for the user of
 * an older agent waits until another message arrives. Costs one index entry per agent created in this time.
 */
const maxAgentAgeMs = 60 * 60_000;

/**
 * Delivers mail that is still waiting although its user has a foreground agent: the process that created
 * the agent may have died before it had emptied the mailbox.
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
