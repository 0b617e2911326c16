import type { Agent } from '../../../agents';
import type { Relation } from '../../domain/agent-message-rules';
import type { SendingTurn } from '../../domain/sending-turn';

/**
 * An agent's message to another agent. If it goes through another service, that service keeps it in order with the
 * sender's other messages to the same recipient.
 */
export interface RoutedMessage extends SendingTurn {
  readonly messageId: string;
  readonly text: string;
}

export interface CrossUserMessage extends RoutedMessage {
  readonly recipientUserId: string;
  /** Empty for the recipient's foreground agents. */
  readonly recipientAgentId: string;
  readonly allowedRelations: readonly Relation[];
  /** Whether the message is sent in the name of the sender's user, by nametag, and not in the agent's own name. */
  readonly asSubuser: boolean;
}

/**
 * Sends a message to another user's agent, if the two users are currently in one of the relations that allow it;
 * resolves to whether the message was accepted.
 */
export type DeliverAcrossUsers = (from: Agent, message: CrossUserMessage) => Promise<boolean>;

/**
 * Queues a message to an agent of the same user behind those channel messages and signals from the sender to that agent
 * that have not been delivered yet. Resolves to false, without queueing anything, if there are none.
 */
export type QueueBehindWiredMessages = (
  from: Agent,
  recipientAgentId: string,
  message: RoutedMessage,
) => Promise<boolean>;
