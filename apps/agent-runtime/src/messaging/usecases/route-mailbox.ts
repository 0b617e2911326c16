import type { AgentWriter, RankForeground } from '../../agents';
import type { InboxStore } from '../store/inbox-store';
import { toRecipients, type NotifyAgents } from './place-items';

export interface RouteDeps {
  readonly inbox: InboxStore;
  readonly agents: Pick<AgentWriter, 'touch'>;
  readonly rankForeground: RankForeground;
  readonly notify: NotifyAgents;
  readonly now: () => Date;
}

/**
 * Hands the messages in a user's mailbox to the user's foreground agents, in order; does nothing while
 * there are none. Any number of replicas may do this concurrently: the recipients of a message are chosen
 * only once.
 */
export type RouteMailbox = (userId: string) => Promise<void>;

const batchSize = 256;

export function makeRouteMailbox(deps: RouteDeps): RouteMailbox {
  const { inbox, agents, rankForeground, notify, now } = deps;
  return async (userId) => {
    let hasMore = true;
    while (hasMore) {
      const ranked = await rankForeground(userId);
      const recipients = toRecipients(ranked);
      if (!recipients) return;
      const routed = await inbox.route(userId, recipients, batchSize);
      if (routed.needsTurn) await agents.touch([recipients.leadId], now());
      if (routed.count > 0) notify(ranked);
      // Whoever stores a message after this read also routes it, so only a full batch requires another
      // read.
      hasMore = routed.hasMore;
    }
  };
}
