import type { Trust } from '@daycare/api';
import type { Agent } from '../../agents';
import type { Relation } from '../domain/agent-message-rules';

/**
 * An agent's message that goes through another service, so that it stays in order with the other messages from its
 * sender to its recipient.
 */
export interface RoutedMessage {
  readonly messageId: string;
  readonly text: string;
  readonly hops: number;
  readonly trust?: Trust | undefined;
  readonly carriesPrivate: boolean;
  /** Only for messages to an agent of the same user that go straight into its inbox. */
  readonly foreignWriter?: string | undefined;
}

export interface CrossUserMessage extends RoutedMessage {
  readonly recipientUserId: string;
  /** Empty for the recipient's foreground agents. */
  readonly recipientAgentId: string;
  readonly allowedRelations: readonly Relation[];
  /** Whether the message comes from the sender's user, by nametag, rather than from the agent. */
  readonly asSubuser: boolean;
}

/**
 * Sends a message to another user's agent, if the two users are at this moment in one of the relations that allow
 * it; resolves with whether the message was accepted.
 */
export type DeliverAcrossUsers = (from: Agent, message: CrossUserMessage) => Promise<boolean>;

/**
 * Sends a message to an agent of the same user, queued behind the sender's channel messages and signals to that
 * agent; resolves with false, without sending anything, when all of those have been delivered.
 */
export type ForwardBehindWiring = (
  from: Agent,
  recipientAgentId: string,
  message: RoutedMessage,
) => Promise<boolean>;
