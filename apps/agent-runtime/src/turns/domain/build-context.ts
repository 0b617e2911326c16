import { type ContextMessage, renderPersonText, renderSystemMessage } from '../../models';
import type {
  HistoryEvent,
  HistoryRecord,
  ResetEvent,
  ToolCall,
  ToolResultEvent,
  UserMessageEvent,
} from '../../agents';

type ToolMessage = Extract<ContextMessage, { role: 'tool' }>;

/** Replaces a tool result that was never recorded. */
export const interruptedResultJson = JSON.stringify({
  error: 'The run was interrupted before this tool answered. It may or may not have taken effect.',
});

/**
 * The context of a restored agent: everything after the newest start or reset. Every tool call has
 * exactly one result, and every result a call, as model providers require.
 */
export function buildContext(records: readonly HistoryRecord[]): ContextMessage[] {
  const context = appendToContext([], records);
  closeCalls(context);
  return context;
}

/**
 * The context after some more events. Calls at its end may still be open; they are closed as
 * interrupted as soon as something else follows. A late result replaces the interrupted one.
 */
export function appendToContext(
  context: readonly ContextMessage[],
  events: readonly HistoryEvent[],
): ContextMessage[] {
  const next = [...context];
  for (const event of events) append(next, event);
  return next;
}

function append(context: ContextMessage[], event: HistoryEvent): void {
  switch (event.kind) {
    case 'start':
      context.length = 0;
      return;
    case 'reset':
      context.splice(0, context.length, ...resetMessages(event));
      return;
    case 'user_message':
      closeCalls(context);
      context.push({
        role: 'user',
        text: renderIncoming(event),
        files: event.files,
        ...(event.trusted ? { trusted: true } : {}),
      });
      return;
    case 'assistant_message':
      closeCalls(context);
      context.push({ role: 'assistant', text: event.text, toolCalls: event.toolCalls });
      return;
    case 'tool_result':
      insertResult(context, event);
      return;
    case 'note':
      return;
  }
}

function resetMessages({ message: text, byAgentId: origin = '' }: ResetEvent): ContextMessage[] {
  return text === '' ? [] : [{ role: 'user', text: renderIncoming({ origin, text }), files: [] }];
}

function renderIncoming({ origin, text }: Pick<UserMessageEvent, 'origin' | 'text'>): string {
  return origin === '' ? renderPersonText(text) : renderSystemMessage(origin, text);
}

/** The calls of the newest answer without a result, in the order in which to run them. */
export function openCalls(context: readonly ContextMessage[]): readonly ToolCall[] {
  const at = context.findLastIndex(({ role }) => role !== 'tool');
  const answered = new Set(resultsAfter(context, at).map(({ toolCallId }) => toolCallId));
  return callsAt(context, at).filter(({ id }) => !answered.has(id));
}

/** Gives every open call at the end of the context an interrupted result. */
function closeCalls(context: ContextMessage[]): void {
  const at = context.findLastIndex(({ role }) => role !== 'tool');
  const answered = countIds(resultsAfter(context, at).map(({ toolCallId }) => toolCallId));
  for (const { id, name } of callsAt(context, at)) {
    const left = answered.get(id) ?? 0;
    if (left > 0) answered.set(id, left - 1);
    else context.push(interruptedMessage(id, name));
  }
}

/** Inserts a result after the newest call with its id, unless there is none or it has a result. */
function insertResult(context: ContextMessage[], result: ToolResultEvent): void {
  const { toolCallId, toolName, resultJson, isError } = result;
  const isMine = ({ id }: ToolCall): boolean => id === toolCallId;
  const at = context.findLastIndex((_, index) => callsAt(context, index).some(isMine));
  const results = resultsAfter(context, at);
  const mine = results.filter((each) => each.toolCallId === toolCallId);
  const isOpen = mine.length < callsAt(context, at).filter(isMine).length;
  const position = isOpen
    ? results.length
    : results.findIndex((each) => isInterrupted(each, toolCallId));
  if (position < 0) return;
  const message: ToolMessage = { role: 'tool', toolCallId, toolName, resultJson, isError };
  context.splice(at + 1 + position, isOpen ? 0 : 1, message);
}

function callsAt(context: readonly ContextMessage[], index: number): readonly ToolCall[] {
  const message = context[index];
  return message?.role === 'assistant' ? message.toolCalls : [];
}

function resultsAfter(context: readonly ContextMessage[], index: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let at = index + 1; at < context.length; at += 1) {
    const message = context[at];
    if (message?.role !== 'tool') break;
    results.push(message);
  }
  return results;
}

function interruptedMessage(toolCallId: string, toolName: string): ToolMessage {
  return { role: 'tool', toolCallId, toolName, resultJson: interruptedResultJson, isError: true };
}

function isInterrupted(message: ToolMessage, toolCallId: string): boolean {
  return message.toolCallId === toolCallId && message.resultJson === interruptedResultJson;
}

function countIds(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
