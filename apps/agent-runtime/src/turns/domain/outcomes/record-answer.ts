import type { Agent, AgentStep, AssistantMessageEvent, CurrentWork } from '../../../agents';
import { noAnswerNote, truncatedAnswerNote } from '../../../messaging';
import { recordToolCalls, type ToolCallLimits } from '../limit-tool-calls';
import { finishWork } from '../turn-steps';

/** How many times an answer that reached its maximum length is continued. */
const maxContinuations = 4;

/**
 * Records the model's answer, which ends the work unless it calls tools, was truncated or is empty. The model is called
 * again after at most `maxContinuations` truncated answers in a turn, and after an empty answer but not after two in a
 * row.
 */
export function recordAnswer(
  work: CurrentWork,
  { foreground }: Pick<Agent, 'foreground'>,
  {
    answer,
    isTruncated,
  }: { readonly answer: AssistantMessageEvent; readonly isTruncated: boolean },
  limits: ToolCallLimits,
): AgentStep {
  const { wasEmpty, overflows: _overflows, ...rest } = work;
  if (answer.toolCalls.length > 0) return recordToolCalls(rest, answer, limits);
  const { continuations = 0 } = rest;
  if (answer.text.trim() === '') {
    if (!wasEmpty) return { events: [], current: { ...work, wasEmpty: true } };
    return withNote(finishWork(rest, answer), foreground && continuations === 0, noAnswerNote());
  }
  if (!isTruncated) return finishWork(rest, answer);
  if (continuations >= maxContinuations)
    return withNote(finishWork(rest, answer), foreground, truncatedAnswerNote());
  return { events: [answer], current: { ...rest, continuations: continuations + 1 } };
}

function withNote(step: AgentStep, isShown: boolean, text: string): AgentStep {
  return isShown ? { ...step, events: [...step.events, { kind: 'note', text }] } : step;
}
