import type { Trust } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { FittedList } from '../../shared/text/fit-characters';

/**
 * An agent's operations on its user's channels. Every call is made on behalf of that agent, and topology decides
 * whether to allow it.
 */
export interface Channels {
  create(call: AgentCall, name: string, leaderUsername: string): Promise<ChannelView>;
  join(call: AgentCall, name: string, username: string): Promise<ChannelView>;
  /** Returns undefined when the last member left, which deletes the channel. */
  leave(call: AgentCall, name: string): Promise<ChannelView | undefined>;
  send(call: AgentCall, name: string, text: string): Promise<ChannelMessageView>;
  /** Returns messages, newest first, as many as one tool result can hold. */
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
  /** How many characters are missing from a long text. */
  readonly cutCharacters?: number;
  readonly mentions: readonly string[];
  readonly sentAt: string | undefined;
  /** The author's trust. */
  readonly trust: Trust;
}
