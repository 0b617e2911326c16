import type {
  AgentStep,
  AssistantMessageEvent,
  CurrentWork,
  ToolCall,
  ToolResultEvent,
} from '../../agents';
import { toolCallsLimitNote } from '../../messaging';
import { leaveUnfinished } from './stop-turn';

export interface ToolCallLimits {
  readonly maxToolCallsPerAnswer: number;
  readonly maxToolCallsPerTurn: number;
}

/**
 * Records that the model has called tools, which run before its next answer. Calls beyond the limits for an
 * answer or a turn get an error as their result instead. If the turn had no calls left, it ends, and the model reads
 * these errors in a later turn.
 */
export function recordToolCalls(
  work: CurrentWork,
  answer: AssistantMessageEvent,
  { maxToolCallsPerAnswer, maxToolCallsPerTurn }: ToolCallLimits,
): AgentStep {
  const allowed = Math.min(maxToolCallsPerAnswer, maxToolCallsPerTurn - work.toolCalls);
  const refused = answer.toolCalls.slice(allowed).map((call) => refusedCall(call, allowed));
  const events = [answer, ...refused];
  if (allowed === 0) {
    const stopped = leaveUnfinished(work, toolCallsLimitNote(work.toolCalls));
    return { ...stopped, events: [...events, ...stopped.events] };
  }
  const toolCalls = work.toolCalls + answer.toolCalls.length - refused.length;
  return { events, current: { ...work, iterations: work.iterations + 1, toolCalls } };
}

function refusedCall({ id, name }: ToolCall, allowed: number): ToolResultEvent {
  const problem =
    allowed === 0
      ? 'This turn has used all its tool calls'
      : `Only the first ${allowed} calls in this answer were made`;
  const message = `${problem}; call this tool again if you still need it`;
  const resultJson = JSON.stringify({ error: { code: 'QUOTA_EXCEEDED', message } });
  return {
    kind: 'tool_result',
    toolCallId: id,
    toolName: name,
    resultJson,
    isError: true,
    truncated: false,
  };
}
