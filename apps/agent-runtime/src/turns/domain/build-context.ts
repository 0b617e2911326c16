import {
  type CompactionEvent,
  type ContextMessage,
  type HistoryEvent,
  renderEvent,
  type ResetEvent,
  type ToolCall,
  type ToolResultEvent,
} from '../../agents';

type ToolMessage = Extract<ContextMessage, { role: 'tool' }>;

/** An event, with its sequence number once that is known. */
export type ContextEvent = HistoryEvent & { readonly sequence?: number };

/** Stands in for a tool result that is not in the records. */
export const interruptedResultJson = JSON.stringify({
  error: 'The run was interrupted before this tool answered. It may or may not have taken effect.',
});

/**
 * Builds the context of a restored agent from its records, without keeping the records. The context has what the newest
 * start or reset left and everything after it, with a summary in place of what was compacted. After `withClosedCalls`,
 * every tool call has exactly one result, and every result a call, as model providers require.
 */
export class ContextBuilder {
  readonly #context: ContextMessage[] = [];

  add(record: ContextEvent): void {
    append(this.#context, record);
  }

  /** Returns the context so far; calls at its end may have no result yet. */
  withOpenCalls(): ContextMessage[] {
    return this.#context;
  }

  /** Returns the context so far, with an `interrupted` result for each call that has none. */
  withClosedCalls(): ContextMessage[] {
    closeCalls(this.#context);
    return this.#context;
  }
}

/**
 * Returns the context with these events added. Calls at its end may still be open; when another message or answer
 * follows, they are closed with an `interrupted` result. A real result that arrives later replaces that one.
 */
export function appendToContext(
  context: readonly ContextMessage[],
  events: readonly ContextEvent[],
): ContextMessage[] {
  const next = [...context];
  for (const event of events) append(next, event);
  return next;
}

function append(context: ContextMessage[], event: ContextEvent): void {
  const rendered = renderEvent(event);
  const sequence = event.sequence === undefined ? {} : { sequence: event.sequence };
  const message = rendered && { ...rendered, ...sequence };
  switch (event.kind) {
    case 'start':
    case 'reset':
    case 'compaction':
      context.splice(
        0,
        context.length,
        ...(message ? [message] : []),
        ...remainingMessages(context, event),
      );
      return;
    case 'user_message':
    case 'assistant_message':
      closeCalls(context);
      if (message) context.push(message);
      return;
    case 'tool_result':
      if (message?.role === 'tool') insertResult(context, event, message);
      return;
    case 'note':
      return;
  }
}

/**
 * Returns the messages that remain after a start, reset or compaction, without their token counts, which included
 * the removed messages.
 */
function remainingMessages(
  context: readonly ContextMessage[],
  event: { readonly kind: 'start' } | ResetEvent | CompactionEvent,
): ContextMessage[] {
  if (event.kind === 'start') return [];
  const from = event.kind === 'compaction' ? event.keptFrom : Infinity;
  return context
    .filter((message) => !('summary' in message))
    .filter(({ sequence = 0 }) => sequence >= from || sequence === event.kept)
    .map(withoutCount);
}

function withoutCount(message: ContextMessage): ContextMessage {
  if (message.role !== 'assistant') return message;
  const { inputTokens: _counted, ...rest } = message;
  return rest;
}

/** Returns the calls in the newest answer that have no result yet, in the order in which to run them. */
export function openCalls(context: readonly ContextMessage[]): readonly ToolCall[] {
  const at = context.findLastIndex(({ role }) => role !== 'tool');
  const answered = new Set(resultsAfter(context, at).map(({ toolCallId }) => toolCallId));
  return callsAt(context, at).filter(({ id }) => !answered.has(id));
}

/** Gives every open call at the end of the context an `interrupted` result. */
function closeCalls(context: ContextMessage[]): void {
  const at = context.findLastIndex(({ role }) => role !== 'tool');
  const answered = countIds(resultsAfter(context, at).map(({ toolCallId }) => toolCallId));
  for (const { id, name } of callsAt(context, at)) {
    const unusedResults = answered.get(id) ?? 0;
    if (unusedResults > 0) answered.set(id, unusedResults - 1);
    else context.push(interruptedMessage(id, name, context[at]));
  }
}

/**
 * Adds a result to the newest call with its id; replaces the `interrupted` result of that call, if it has one. Ignores
 * a result whose call does not exist or already has a real result.
 */
function insertResult(
  context: ContextMessage[],
  { toolCallId }: ToolResultEvent,
  message: ToolMessage,
): void {
  const hasId = ({ id }: ToolCall): boolean => id === toolCallId;
  const at = context.findLastIndex((_, index) => callsAt(context, index).some(hasId));
  const results = resultsAfter(context, at);
  const resultsWithId = results.filter((each) => each.toolCallId === toolCallId);
  const isOpen = resultsWithId.length < callsAt(context, at).filter(hasId).length;
  const position = isOpen
    ? results.length
    : results.findIndex((each) => isInterrupted(each, toolCallId));
  if (position < 0) return;
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

/**
 * Returns the `interrupted` result of a call. It has the sequence number of the call's record, so that the two are
 * kept or removed together.
 */
function interruptedMessage(
  toolCallId: string,
  toolName: string,
  { sequence }: ContextMessage = { role: 'user', text: '', files: [] },
): ToolMessage {
  const result = { toolCallId, toolName, resultJson: interruptedResultJson, isError: true };
  return { role: 'tool', ...result, ...(sequence === undefined ? {} : { sequence }) };
}

function isInterrupted(message: ToolMessage, toolCallId: string): boolean {
  return message.toolCallId === toolCallId && message.resultJson === interruptedResultJson;
}

function countIds(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
