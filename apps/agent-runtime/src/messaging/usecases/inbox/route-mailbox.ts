import type { AgentWriter, RankForeground } from '../../../agents';
import type { MailboxStore } from '../../store/mailbox-store';
import type { NotifyAgents } from './place-items';

export interface RouteDeps {
  readonly mailbox: Pick<MailboxStore, 'route'>;
  readonly agents: Pick<AgentWriter, 'touch'>;
  readonly rankForeground: RankForeground;
  readonly notify: NotifyAgents;
  readonly now: () => Date;
}

/**
 * Hands the messages in a user's mailbox to the user's foreground agents, in order; does nothing while the user has no
 * foreground agent. Any number of replicas may do this concurrently: the recipients of a message are chosen only once.
 */
export type RouteMailbox = (userId: string) => Promise<void>;

const batchSize = 256;

export function makeRouteMailbox(deps: RouteDeps): RouteMailbox {
  const { mailbox, agents, rankForeground, notify, now } = deps;
  return async (userId) => {
    let hasMore = true;
    while (hasMore) {
      const recipients = await rankForeground(userId);
      const [lead] = recipients;
      if (!lead) return;
      const routed = await mailbox.route(userId, recipients, batchSize);
      if (routed.needsTurn) await agents.touch([lead.id], now());
      if (routed.count > 0) notify(recipients);
      // Whoever stores a message after this read also routes it, so only a full batch requires another
      // read.
      hasMore = routed.hasMore;
    }
  };
}
