import { AppError, classifyFailure, isForeign, messageIdOf } from '@daycare/api';
import { raceAbort, withTimeout } from '@daycare/async';
import type { AgentStep, CallUsage, CompactionEvent, CurrentWork } from '../../agents';
import { leftOutNote } from '../../messaging';
import { type ChosenModel, type ModelAnswer, type ModelChooser, TooLongError } from '../../models';
import type { MeterCalls } from '../../spending';
import type { ToolRegistry } from '../../tools';
import { truncateMiddle } from '../domain/context/fit-context';
import type { CompactionPlan } from '../domain/context/plan-compaction';
import {
  outputLimitToSend,
  type ContextLimits,
  type RequestLimits,
} from '../domain/context/request-limits';
import { mayDropContext } from '../domain/outcomes/context-overflow';
import { factsIn, fallbackSummary, transcriptOf } from '../domain/context/summary';
import { abandonForLackOfSpace } from '../domain/turn-steps';
import type { CompactionTask } from './prepare-call';
import { StepFailed } from './step-failed';
import compactionPrompt from '../prompts/compaction.md';
import type { AgentSession } from '../sessions/agent-session';

export interface CompactDeps {
  readonly models: Pick<ModelChooser, 'begin' | 'abandon' | 'succeeded'>;
  readonly meter: MeterCalls;
  readonly tools: Pick<ToolRegistry, 'answer'>;
  readonly limits: ContextLimits;
  readonly log: { warn(fields: object, text: string): void };
}

type ToStep = (work: CurrentWork) => AgentStep;

/** The share of a request that a summary may take up. */
const summaryShare = 0.1;
const maxSummaryTokens = 4_000;
const maxSummaryMs = 5 * 60_000;
const charactersPerToken = 4;
/** When the work has failed this often, a failed summary is not retried: the older part is left out without one. */
const maxFailures = 2;

/**
 * Replaces the older part of the context with the model's summary of it. A single entry records the
 * replacement, so it happens completely or not at all. If no summary can be made, the older part is left out; if this
 * work must not drop any context, the work is abandoned. So a context that is too long never blocks an agent.
 */
export async function compact(
  session: AgentSession,
  work: CurrentWork,
  { chosen, plan, requestLimits }: CompactionTask,
  deps: CompactDeps,
  signal: AbortSignal,
): Promise<ToStep> {
  const maxTokens = Math.min(
    maxSummaryTokens,
    Math.max(200, Math.floor(requestLimits.maxTokens * summaryShare)),
  );
  const metered = await deps.meter.begin(
    plannedCall(session, work, chosen, requestLimits, maxTokens),
  );
  if (metered.kind === 'refused') return withoutSummary(session, plan);
  deps.models.begin(chosen);
  let answer: ModelAnswer;
  try {
    const transcript = transcriptOf(plan.older, requestLimits.maxTokens);
    answer = await summarise(chosen, transcript, maxTokens, deps, signal);
  } catch (cause) {
    if (signal.aborted) deps.models.abandon(chosen);
    return afterFailure(
      session,
      work,
      { chosen, plan, requestLimits },
      cause,
      await metered.failed([]),
    );
  }
  deps.models.succeeded(chosen);
  const usage = await metered.answered(answer);
  const summary = truncateMiddle(answer.text.trim(), maxTokens * charactersPerToken);
  if (summary === '') return withCall(withoutSummary(session, plan), usage);
  await storeFacts(session, work, summary, deps, signal);
  return withCall(withSummary(session, plan, summary), usage);
}

/**
 * A transient or unexpected failure is retried later in the turn, and a transcript that was too long is shortened
 * further. After a refusal, or after too many failures, the older part is left out.
 */
function afterFailure(
  session: AgentSession,
  work: CurrentWork,
  { chosen, plan }: CompactionTask,
  cause: unknown,
  usage: CallUsage,
): ToStep {
  if (cause instanceof TooLongError)
    return (spent) => ({
      ...nextStep({ ...spent, overflows: (spent.overflows ?? 0) + 1 }),
      call: usage,
    });
  if (isTransient(cause) && work.failures < maxFailures)
    throw new StepFailed(cause, usage, chosen.provider.name, chosen);
  return withCall(withoutSummary(session, plan), usage);
}

function isTransient(cause: unknown): boolean {
  return !(cause instanceof AppError) || classifyFailure(cause.code) === 'transient';
}

async function summarise(
  { provider, model }: ChosenModel,
  transcript: string,
  maxOutputTokens: number,
  { limits }: CompactDeps,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const request = provider.answer({
    model: model.id,
    systemPrompt: compactionPrompt.trim(),
    context: [{ role: 'user', text: transcript, files: [] }],
    tools: [],
    maxOutputTokens: outputLimitToSend(model.provider, maxOutputTokens, limits),
    signal,
    onDelta: () => undefined,
  });
  return withTimeout(raceAbort(request, signal), maxSummaryMs, timedOut);
}

function timedOut(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'the model provider took too long to answer');
}

function plannedCall(
  { agent, lease }: AgentSession,
  { trust, turn, startedBy: { nametag: friend } }: CurrentWork,
  { model }: ChosenModel,
  requestLimits: RequestLimits,
  maxOutputTokens: number,
) {
  const { provider, id } = model;
  const estimateInput = async (): Promise<number> => requestLimits.maxTokens;
  const call = { agent, trust, friend, turn, fence: lease.fence, provider, model: id };
  return { ...call, maxOutputTokens, estimateInput };
}

/**
 * Stores the summary's facts in the user's memory before the compaction is recorded. Each context has one node,
 * which the next compaction, or a retry after a crash, replaces. If the context contains text from guests or
 * outsiders, nothing is stored, because no person has approved that text.
 */
async function storeFacts(
  { agent, state }: AgentSession,
  { turn, hops, startedBy }: CurrentWork,
  summary: string,
  { tools, log }: CompactDeps,
  signal: AbortSignal,
): Promise<void> {
  const facts = factsIn(summary);
  const { contextTrust = 'outside', contextIsPrivate: readPrivate } = state;
  if (facts.length === 0 || isForeign(contextTrust)) return;
  const nodeId = `facts-${messageIdOf('facts', agent.id, `${state.contextFrom}`).slice(0, 16)}`;
  const args = JSON.stringify({
    nodeId,
    title: 'Facts from a conversation',
    description: 'Stored by an agent when it compacts its context; replaced each time',
    content: facts.map((fact) => `- ${fact}`).join('\n'),
  });
  const requestId = messageIdOf('facts', agent.id, `${state.lastSequence}`, args);
  const context = {
    agent,
    requestId,
    turn,
    hops,
    trust: 'own',
    readPrivate,
    startedBy,
    signal,
  } as const;
  const text = 'cannot store facts from a summary in memory; they remain in the summary only';
  try {
    const { isError, resultJson } = await tools.answer('memory_write', args, context);
    if (isError) log.warn({ agentId: agent.id, result: resultJson }, text);
  } catch (err) {
    signal.throwIfAborted();
    log.warn({ err, agentId: agent.id }, text);
  }
}

function withSummary(session: AgentSession, plan: CompactionPlan, summary: string): ToStep {
  const event = toEvent(session, plan, summary);
  return (work) => ({ ...nextStep(work), events: [event], keptTokens: plan.keptTokens });
}

/**
 * Leaves out the older part; in a foreground agent, a note informs the person. Abandons the work instead if it must not
 * drop any of the context.
 */
function withoutSummary(session: AgentSession, plan: CompactionPlan): ToStep {
  const event = toEvent(session, plan, fallbackSummary(plan.older));
  const note = session.agent.foreground ? [{ kind: 'note', text: leftOutNote() } as const] : [];
  return (work) =>
    mayDropContext(work, session)
      ? { ...nextStep(work), events: [event, ...note], keptTokens: plan.keptTokens }
      : abandonForLackOfSpace(work.messageIds);
}

function toEvent(
  { state: { contextTrust = 'outside', contextIsPrivate } }: AgentSession,
  { keptFrom, kept }: CompactionPlan,
  summary: string,
): CompactionEvent {
  return {
    kind: 'compaction',
    summary,
    keptFrom,
    ...(kept === undefined ? {} : { kept }),
    trust: contextTrust,
    ...(contextIsPrivate ? { isPrivate: true as const } : {}),
  };
}

function nextStep(current: CurrentWork): AgentStep {
  return { events: [], current };
}

function withCall(record: ToStep, call: CallUsage): ToStep {
  return (work) => ({ ...record(work), call });
}
