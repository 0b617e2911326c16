import { AppError } from '@daycare/api';
import { mergeSignals, raceAbort, withTimeout } from '@daycare/async';
import type { AssistantMessageEvent, CallUsage, CurrentWork, ToolCall } from '../../agents';
import type { ChosenModel, ModelAnswer } from '../../models';
import type { MeteredCall } from '../../spending';
import type { AgentSession } from '../sessions/agent-session';
import { openDeltaFeed } from '../live/delta-feed';
import type { TurnDeps } from './take-turn';

export type AskModelDeps = Pick<TurnDeps, 'tools' | 'promptFor' | 'feed'>;

const maxModelMs = 15 * 60_000;

/** The model or a tool failed, as opposed to the database or this process. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';

  constructor(
    cause: unknown,
    /** What the model call used. */
    readonly call?: CallUsage,
    /** What was not available, if that is the reason. */
    readonly source = 'another service',
    /** The model that was asked. */
    readonly chosen?: ChosenModel,
  ) {
    super('a model request or tool call failed', { cause });
  }
}

export async function orStepFailed<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new StepFailed(cause);
  }
}

/** Asks the model for the next answer of a turn; throws StepFailed with what the call used until then. */
export async function askModel(
  session: AgentSession,
  work: CurrentWork,
  { chosen, metered }: { readonly chosen: ChosenModel; readonly metered: MeteredCall },
  deps: AskModelDeps,
  signal: AbortSignal,
): Promise<{ readonly answer: AssistantMessageEvent; readonly usage: CallUsage }> {
  const { agent, context } = session;
  const { provider, model } = chosen;
  const tools = deps.tools.list(agent);
  const deltas = openDeltaFeed(session, attemptsBefore(work) + 1, deps.feed);
  // If the turn's beginning cannot be stored, the answer is of no use.
  const stop = mergeSignals(signal, session.failed);
  // Of this attempt, and of each before it that failed midway.
  let characters = 0;
  const failed: number[] = [];
  const onDelta = (text: string): void => {
    characters += text.length;
    deltas.add(text);
  };
  const onRestart = (): void => {
    if (characters > 0) failed.push(characters);
    characters = 0;
    deltas.restart();
  };
  try {
    const request = provider.answer({
      model: model.id,
      systemPrompt: await deps.promptFor(agent, tools, work),
      context,
      tools,
      signal: stop.signal,
      onDelta,
      onRestart,
    });
    // A provider that ignores the signal must not block the agent's slot.
    const answer = await withTimeout(raceAbort(request, stop.signal), maxModelMs, timedOut);
    const usage = await metered.answered(answer, failed);
    const by = { provider: model.provider, model: model.id };
    return { answer: toEvent(answer, usage, by, work), usage };
  } catch (cause) {
    const call = await metered.failed([...failed, characters]);
    throw new StepFailed(cause, call, provider.name, chosen);
  } finally {
    deltas.end();
    stop.release();
  }
}

/** Each of them may have shown watchers a part of an answer. */
function attemptsBefore({ failures, interruptions, switches = 0, waiting }: CurrentWork): number {
  return failures + interruptions + switches + (waiting?.count ?? 0);
}

function timedOut(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'the model provider took too long to answer');
}

function toEvent(
  answer: ModelAnswer,
  { inputTokens, outputTokens, cachedInputTokens }: CallUsage,
  by: Pick<AssistantMessageEvent, 'provider' | 'model'>,
  { replyTarget }: CurrentWork,
): AssistantMessageEvent {
  const { text } = answer;
  const usage = { inputTokens, outputTokens, cachedInputTokens };
  const toolCalls = withUniqueIds(answer);
  return { kind: 'assistant_message', text, toolCalls, usage, ...by, replyTarget };
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
