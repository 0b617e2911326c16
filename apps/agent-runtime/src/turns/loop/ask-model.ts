import type { AssistantMessageEvent, CallUsage, CurrentWork, ToolCall } from '../../agents';
import type { LiveFeed } from '../../messaging';
import type { LoadedImage, ModelAnswer } from '../../models';
import type { RefusedCall } from '../../spending';
import { callModel, type CallModelDeps } from '../context/call-model';
import type { PreparedCall } from '../context/prepare-call';
import type { StepUnderWay } from '../context/step-under-way';
import { openDeltaFeed } from '../live/delta-feed';

export interface AskModelDeps extends CallModelDeps {
  readonly feed: Pick<LiveFeed, 'publishAgentEvent'>;
}

const maxModelMs = 15 * 60_000;

export interface RecordableAnswer {
  readonly kind: 'answered';
  readonly answer: AssistantMessageEvent;
  readonly usage: CallUsage;
  /** Whether the answer was truncated at its maximum length. */
  readonly isTruncated: boolean;
}

/** Asks the model for the next answer of a turn; throws StepFailed with the usage of the failed call. */
export async function askModel(
  { session, work, signal }: StepUnderWay,
  call: PreparedCall,
  images: ReadonlyMap<string, LoadedImage>,
  deps: AskModelDeps,
): Promise<RecordableAnswer | RefusedCall> {
  const { chosen, systemPrompt, context, situation, tools, outputLimit: maxOutputTokens } = call;
  const { traceparent } = work;
  const request = { systemPrompt, context, images, situation, tools, maxOutputTokens, traceparent };
  const deltas = openDeltaFeed(session, attemptsBefore(work) + 1, deps.feed);
  try {
    const modelCall = { chosen, planned: call, request, deltas, maxMs: maxModelMs };
    const outcome = await callModel(modelCall, deps, signal);
    if (outcome.kind === 'refused') return outcome;
    const { answer, usage } = outcome;
    const truncation = call.isTruncated ? { wasCut: true as const } : {};
    const source = { provider: call.provider, model: call.model, ...truncation };
    return {
      kind: 'answered',
      answer: toEvent(answer, usage, source, work),
      usage,
      isTruncated: answer.isTruncated === true,
    };
  } finally {
    deltas.end();
  }
}

/** Returns how many earlier attempts there were; each may have shown watchers a part of an answer. */
function attemptsBefore({ failures, interruptions, switches = 0, waiting }: CurrentWork): number {
  return failures + interruptions + switches + (waiting?.count ?? 0);
}

function toEvent(
  answer: ModelAnswer,
  { inputTokens, outputTokens, cachedInputTokens }: CallUsage,
  source: Pick<AssistantMessageEvent, 'provider' | 'model' | 'wasCut'>,
  { replyTarget }: CurrentWork,
): AssistantMessageEvent {
  const { text } = answer;
  const usage = { inputTokens, outputTokens, cachedInputTokens };
  const toolCalls = withUniqueIds(answer);
  return { kind: 'assistant_message', text, toolCalls, usage, ...source, replyTarget };
}

/** A result is matched by the id of its call, so ids must be unique within an answer. */
function withUniqueIds({ toolCalls }: ModelAnswer): readonly ToolCall[] {
  const ids = new Set<string>();
  return toolCalls.map((call, index) => {
    const id = call.id === '' || ids.has(call.id) ? `call-${index + 1}-${call.id}` : call.id;
    ids.add(id);
    return { ...call, id };
  });
}
