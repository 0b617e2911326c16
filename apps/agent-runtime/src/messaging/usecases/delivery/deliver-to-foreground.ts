import type { RankForeground } from '../../../agents';
import { itemOf, type SystemMessageDraft } from '../../domain/inbox-item';
import type { MailboxStore } from '../../store/mailbox-store';
import type { PlaceItems } from '../inbox/place-items';
import type { RouteMailbox } from '../inbox/route-mailbox';

export interface DeliverToForegroundDeps {
  readonly mailbox: Pick<MailboxStore, 'dropUnrouted'>;
  readonly rankForeground: RankForeground;
  readonly placeItems: PlaceItems;
  readonly routeMailbox: RouteMailbox;
  readonly now: () => Date;
}

/**
 * Delivers a message to the sending user's most recent foreground agent, at most once per message id. While there is
 * no such agent, the message waits in the mailbox, where it replaces older messages with the same origin.
 */
export type DeliverToForeground = (draft: SystemMessageDraft) => Promise<void>;

export function makeDeliverToForeground(deps: DeliverToForegroundDeps): DeliverToForeground {
  const { mailbox, rankForeground, placeItems, routeMailbox, now } = deps;
  return async (draft) => {
    const { senderUserId: userId, messageId, origin } = draft;
    const recipients = (await rankForeground(userId)).slice(0, 1);
    const [outcome] = await placeItems([{ item: itemOf(userId, draft, now()), recipients }]);
    if (recipients.length > 0) return;
    // The user may never get a foreground agent, so only the newest message from each origin is kept.
    if (outcome !== 'duplicate') await mailbox.dropUnrouted({ userId, messageId, origin }, now());
    // The first agent may have been created in the meantime.
    await routeMailbox(userId);
  };
}
