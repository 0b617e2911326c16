import { AppError } from '@daycare/api';
import { raceAbort, withTimeout } from '@daycare/async';
import type { AssistantMessageEvent, CallUsage, CurrentWork, ToolCall } from '../../agents';
import type { LoadedImage, ModelAnswer } from '../../models';
import type { MeteredCall } from '../../spending';
import type { AgentSession } from '../sessions/agent-session';
import { openDeltaFeed } from '../live/delta-feed';
import type { PreparedCall } from '../context/prepare-call';
import { StepFailed } from '../context/step-failed';
import type { TurnDeps } from './take-turn';

export type AskModelDeps = Pick<TurnDeps, 'feed'>;

const maxModelMs = 15 * 60_000;

export interface AnsweredCall {
  readonly answer: AssistantMessageEvent;
  readonly usage: CallUsage;
  /** Whether the answer was truncated at its maximum length. */
  readonly isTruncated: boolean;
}

export interface CallToMake {
  readonly call: PreparedCall;
  readonly images: ReadonlyMap<string, LoadedImage>;
  readonly metered: MeteredCall;
}

/** Asks the model for the next answer of a turn; throws StepFailed with the usage of the failed call. */
export async function askModel(
  session: AgentSession,
  work: CurrentWork,
  { call, images, metered }: CallToMake,
  deps: AskModelDeps,
  signal: AbortSignal,
): Promise<AnsweredCall> {
  const { provider, model } = call.chosen;
  const { systemPrompt, context, situation, tools, outputLimit } = call;
  const deltas = openDeltaFeed(session, attemptsBefore(work) + 1, deps.feed);
  // How many characters arrived in this attempt, and in each earlier one that failed midway.
  let characters = 0;
  const charactersOfFailed: number[] = [];
  const onDelta = (text: string): void => {
    characters += text.length;
    deltas.add(text);
  };
  const onRestart = (): void => {
    if (characters > 0) charactersOfFailed.push(characters);
    characters = 0;
    deltas.restart();
  };
  try {
    const request = provider.answer({
      model: model.id,
      systemPrompt,
      context,
      images,
      situation,
      tools,
      maxOutputTokens: outputLimit,
      signal,
      traceparent: work.traceparent,
      onDelta,
      onRestart,
    });
    // A provider that ignores the signal must not keep the agent's slot occupied.
    const answer = await withTimeout(raceAbort(request, signal), maxModelMs, timedOut);
    const usage = await metered.answered(answer, charactersOfFailed);
    const truncation = call.isTruncated ? { wasCut: true as const } : {};
    const source = { provider: model.provider, model: model.id, ...truncation };
    return {
      answer: toEvent(answer, usage, source, work),
      usage,
      isTruncated: answer.isTruncated === true,
    };
  } catch (cause) {
    const used = await metered.failed([...charactersOfFailed, characters]);
    throw new StepFailed(cause, used, provider.name, call.chosen);
  } finally {
    deltas.end();
  }
}

/** Returns how many earlier attempts there were; each may have shown watchers a part of an answer. */
function attemptsBefore({ failures, interruptions, switches = 0, waiting }: CurrentWork): number {
  return failures + interruptions + switches + (waiting?.count ?? 0);
}

function timedOut(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'the model provider took too long to answer');
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
