import type { ToolCall } from '../../agents';
import type { LiveFeed } from '../../messaging';
import type { AgentSession } from '../sessions/agent-session';

/** Watchers see only the beginning of a call's arguments; the record contains all of them. */
const maxArgumentCharacters = 1_000;

/** Returns a function that publishes the start or end of a recorded tool call to watchers. A lost event is harmless. */
export function makeShowProgress(
  { agent: { id: agentId, feed: connector }, state }: Pick<AgentSession, 'agent' | 'state'>,
  feed: Pick<LiveFeed, 'publishAgentEvent'>,
) {
  const { lastSequence: afterSequence } = state;
  return (
    { id: toolCallId, name: toolName, argumentsJson }: ToolCall,
    progress: 'started' | 'ended',
  ) =>
    feed.publishAgentEvent(
      { agentId, feed: connector },
      {
        kind: 'tool',
        toolCallId,
        toolName,
        argumentsJson: Array.from(argumentsJson.slice(0, 2 * maxArgumentCharacters))
          .slice(0, maxArgumentCharacters)
          .join(''),
        state: progress,
        afterSequence,
      },
    );
}
