import type { Trust } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { FittedList } from '../../shared/text/fit-characters';

/**
 * The operations of an agent on its user's channels. Every call is made as that agent; topology decides
 * whether it is allowed.
 */
export interface Channels {
  create(call: AgentCall, name: string, leaderUsername: string): Promise<ChannelView>;
  join(call: AgentCall, name: string, username: string): Promise<ChannelView>;
  /** Undefined when the last member left, which deletes the channel. */
  leave(call: AgentCall, name: string): Promise<ChannelView | undefined>;
  send(call: AgentCall, name: string, text: string): Promise<ChannelMessageView>;
  /** Newest first, as many as one tool result can hold. */
  history(
    call: Omit<AgentCall, 'requestId'>,
    name: string,
    limit: number,
  ): Promise<FittedList<ChannelMessageView>>;
}

export interface ChannelView {
  readonly channel: string;
  readonly leaderAgentId: string;
  readonly members: readonly { readonly agentId: string; readonly username: string }[];
}

export interface ChannelMessageView {
  readonly id: string;
  readonly senderAgentId: string;
  readonly senderUsername: string;
  readonly text: string;
  /** How many characters of a long text are missing. */
  readonly cutCharacters?: number;
  readonly mentions: readonly string[];
  readonly sentAt: string | undefined;
  /** The trust of its author. */
  readonly trust: Trust;
}
