import type { SystemMessage } from '@daycare/contracts/common';
import { messageRoutes, type MessageGroup } from '@daycare/contracts/message-routes';
import type { Delivery } from './delivery';

/** The service that owns friendships. No other service may send agents notices or messages from friends. */
const friendService = 'social-graph';
/**
 * The prefix of the ids of notices about ties; these ids are derived from the tie, so other services can guess them.
 */
const noticePrefix = 'tie-';
const friendOrigin = /^(?:friend|owner|subuser):/;

/**
 * Returns why the sender may not send this message to the group, or undefined if it may. The sender is known from
 * the subject, which NATS has checked; everything in the message itself is only what the sender claims.
 */
export function routeProblem(
  group: MessageGroup,
  { id, source, message }: Pick<Delivery, 'id' | 'source' | 'message'>,
): string | undefined {
  if (!messageRoutes[group].from.some((service) => service === source))
    return 'its sender may not send to this group';
  if (id.startsWith(noticePrefix) && source !== friendService)
    return 'its id belongs to a notice about a tie';
  return message && contentProblem(message, source, group);
}

function contentProblem(
  message: SystemMessage,
  source: string,
  group: MessageGroup,
): string | undefined {
  const { recipient, origin, tie, notice } = message;
  const target = recipient?.target;
  if (message.source !== source) return 'it names another sender';
  if ((target?.$case === 'service' ? target.value : 'agents') !== group)
    return 'its recipient belongs to another group';
  const involvesFriends = friendOrigin.test(origin) || tie !== undefined;
  if (involvesFriends && source !== friendService)
    return 'only the service that owns friendships may send it';
  if (notice && group === 'agents' && source !== friendService)
    return 'its sender may not send notices to agents';
  return undefined;
}
