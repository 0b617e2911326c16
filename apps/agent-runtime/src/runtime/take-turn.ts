import { AppError } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import type { CurrentWork } from '../domain/agent-state';
import { openCalls } from '../domain/build-context';
import type { AssistantMessageEvent, ToolCall, ToolResultEvent } from '../domain/history-record';
import { fail, finish, recordResult, stopAtLimit, wishForTools } from '../domain/turn-steps';
import type { ToolRegistry } from '../tools/tool-registry';
import { messageIdOf } from '../usecases/message-id';
import type { AgentSession } from './agent-session';
import { limitTime } from './limit-time';
import type { LiveFeed } from './live-feed';
import type { ModelAnswer, ModelProvider, ToolSpec } from './model-provider';

const mostThinkingMs = 15 * 60_000;
const mostToolMs = 5 * 60_000;

export interface TurnParts {
  readonly providerOf: (agent: Agent) => ModelProvider;
  readonly tools: Pick<ToolRegistry, 'list' | 'answer'>;
  /** What an agent is told about itself, given the tools it has. */
  readonly promptFor: (agent: Agent, tools: readonly ToolSpec[]) => Promise<string>;
  readonly feed: Pick<LiveFeed, 'tell'>;
  readonly limits: { readonly maxToolIterations: number };
  readonly now: () => Date;
  readonly log: { warn(fields: object, text: string): void };
}

/**
 * Works on what the agent has in hand until it is done, put off or given up. Every answer and every
 * result is recorded before the next step, so that whoever goes on after a crash repeats at most one
 * question to the model or one call of a tool, and the call has the same key again.
 */
export async function takeTurn(
  session: AgentSession,
  parts: TurnParts,
  signal: AbortSignal,
): Promise<void> {
  for (let work = session.state.current; work && !work.notBefore; work = session.state.current) {
    try {
      await takeStep(session, work, parts, signal);
    } catch (error) {
      // Whoever holds the lease now goes on; what the database did not take has not happened.
      if (signal.aborted || !(error instanceof StepFailed)) throw error;
      await putOff(session, work, parts, error.cause);
    }
  }
}

/** The model or a tool failed, as opposed to what this process stands on. */
class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

async function takeStep(
  session: AgentSession,
  work: CurrentWork,
  parts: TurnParts,
  signal: AbortSignal,
): Promise<void> {
  const [call] = openCalls(session.context);
  if (call) {
    const result = await orFail(() =>
      limitTime(
        unlessAborted(runTool(session.agent, work, call, parts, signal), signal),
        mostToolMs,
      ),
    );
    return commit(session, parts, recordResult(work, result));
  }
  if (work.iterations >= parts.limits.maxToolIterations)
    return commit(session, parts, stopAtLimit(work));
  const answer = await orFail(() => think(session, work, parts, signal));
  const step = answer.toolCalls.length > 0 ? wishForTools(work, answer) : finish(work, answer);
  return commit(session, parts, step);
}

async function orFail<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new StepFailed('a step failed', { cause });
  }
}

async function think(
  { agent, context, state }: AgentSession,
  { replyTarget, failures, interruptions }: CurrentWork,
  parts: TurnParts,
  signal: AbortSignal,
): Promise<AssistantMessageEvent> {
  const provider = parts.providerOf(agent);
  const tools = parts.tools.list(agent);
  const model = agent.model || provider.defaultModel;
  const { lastSequence: afterSequence } = state;
  let attempt = failures + interruptions + 1;
  const asked = provider.answer({
    model,
    systemPrompt: await parts.promptFor(agent, tools),
    context,
    tools,
    signal,
    onDelta: (text) => parts.feed.tell(agent.id, { kind: 'delta', text, attempt, afterSequence }),
    onRestart: () => (attempt += 1),
  });
  const answer = await limitTime(unlessAborted(asked, signal), mostThinkingMs);
  const { text, usage } = answer;
  const toolCalls = withOwnIds(answer);
  const by = { provider: provider.name, model };
  return { kind: 'assistant_message', text, toolCalls, usage, ...by, replyTarget };
}

/** A provider that does not listen to the signal must not keep the agent's slot. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A result is found by its call's id, so no two calls of an answer may have the same. */
function withOwnIds({ toolCalls }: ModelAnswer): readonly ToolCall[] {
  const ids = new Set<string>();
  return toolCalls.map((call, index) => {
    const id = call.id === '' || ids.has(call.id) ? `call-${index + 1}-${call.id}` : call.id;
    ids.add(id);
    return { ...call, id };
  });
}

async function runTool(
  agent: Agent,
  { turn, iterations, hops }: CurrentWork,
  { id: toolCallId, name: toolName, argumentsJson }: ToolCall,
  { tools }: TurnParts,
  signal: AbortSignal,
): Promise<ToolResultEvent> {
  const requestId = messageIdOf('tool', agent.id, `${turn}`, `${iterations}`, toolCallId);
  const outcome = await tools.answer(toolName, argumentsJson, { agent, requestId, hops, signal });
  return { kind: 'tool_result', toolCallId, toolName, ...outcome };
}

async function putOff(
  session: AgentSession,
  work: CurrentWork,
  parts: TurnParts,
  error: unknown,
): Promise<void> {
  const { log, now } = parts;
  const failures = work.failures + 1;
  log.warn({ err: error, agentId: session.agent.id, failures }, 'a turn failed');
  await commit(session, parts, fail(work, reasonOf(error), now(), Math.random()));
}

/** What a person may read; the log has the rest. */
function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'something went wrong while I worked on it';
}

/** Takes a step and tells those who watch. */
export async function commit(
  session: AgentSession,
  { feed }: Pick<TurnParts, 'feed'>,
  step: Parameters<AgentSession['commit']>[0],
): Promise<void> {
  await session.commit(step);
  if (step.events.length > 0) feed.tell(session.agent.id, { kind: 'advanced' });
}
