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
 * answer or a turn get an error as their result instead. A turn that had no calls left ends; the error is for the turns after it.
 */
export function recordToolCalls(
  work: CurrentWork,
  answer: AssistantMessageEvent,
  { maxToolCallsPerAnswer, maxToolCallsPerTurn }: ToolCallLimits,
): AgentStep {
  const left = Math.min(maxToolCallsPerAnswer, maxToolCallsPerTurn - work.toolCalls);
  const refused = answer.toolCalls.slice(left).map((call) => refusedCall(call, left));
  const events = [answer, ...refused];
  if (left === 0) {
    const stopped = leaveUnfinished(work, toolCallsLimitNote(work.toolCalls));
    return { ...stopped, events: [...events, ...stopped.events] };
  }
  const toolCalls = work.toolCalls + answer.toolCalls.length - refused.length;
  return { events, current: { ...work, iterations: work.iterations + 1, toolCalls } };
}

function refusedCall({ id, name }: ToolCall, left: number): ToolResultEvent {
  const problem =
    left === 0
      ? 'This turn has used all its tool calls'
      : `Only the first ${left} calls in this answer were made`;
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
