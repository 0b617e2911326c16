import { lowestTrust, messageIdOf, type Trust } from '@daycare/api';
import { type Agent, labelForModels } from '../../../agents';
import type { InboxItem } from '../../domain/inbox-item';
import { undeliveredNotice } from '../../domain/message-wording';
import type { DeliverToAgent } from './deliver-to-agent';

/**
 * Notifies the agent that sent an item, once, that the item was not handled. The senders of signals are not notified.
 */
export type NotifySender = (agent: Agent, item: InboxItem) => Promise<void>;

export function makeNotifySender(deliverToAgent: DeliverToAgent): NotifySender {
  return async (agent, item) => {
    if (item.kind !== 'system_message' || !item.sender) return;
    // The sender of a signal does not know who receives it.
    if (item.origin.startsWith('signal:')) return;
    // A name that another user chose could contain instructions.
    const isOwn = item.sender.userId === agent.userId;
    await deliverToAgent(item.sender, {
      messageId: messageIdOf('undelivered', agent.id, item.messageId),
      senderUserId: agent.userId,
      origin: 'system',
      text: undeliveredNotice(isOwn ? labelForModels(agent) : undefined),
      hops: item.hops + 1,
      trust: trustOf(item.trust, isOwn),
    });
  };
}

/** A notice never has more trust than the turn that sent the message. */
function trustOf(messageTrust: Trust = 'own', isOwn: boolean): Trust {
  return lowestTrust(isOwn ? 'own' : 'guest', messageTrust);
}
