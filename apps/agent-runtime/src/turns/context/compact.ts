import { AppError, classifyFailure } from '@daycare/api';
import { estimateTokens, type CompactionEvent } from '../../agents';
import { leftOutNote } from '../../messaging';
import { TooLongError } from '../../models';
import {
  abandonForLackOfSpace,
  afterOverflow,
  mayDropContext,
} from '../domain/context/context-overflow';
import { truncateMiddle } from '../domain/context/fit-context';
import type { CompactionPlan } from '../domain/context/plan-compaction';
import { outputLimitToSend, type ContextLimits } from '../domain/context/request-limits';
import { fallbackSummary, transcriptOf } from '../domain/context/summary';
import compactionPrompt from '../prompts/compaction.md';
import type { AgentSession } from '../sessions/agent-session';
import { callModel, withCall, type CallModelDeps, type ModelCall } from './call-model';
import type { CompactionTask } from './prepare-call';
import { StepFailed } from './step-failed';
import type { RecordStep, StepUnderWay } from './step-under-way';
import { storeFacts, type StoreFactsDeps } from './store-facts';

export interface CompactDeps extends CallModelDeps, StoreFactsDeps {
  readonly limits: ContextLimits;
}

/** The share of a request that a summary may take up. */
const summaryShare = 0.1;
const maxSummaryTokens = 4_000;
const maxSummaryMs = 5 * 60_000;
const charactersPerToken = 4;
/**
 * Once the work has had this many failures (transient ones do not count), a failed summary is not retried: the older
 * part is left out without one.
 */
const maxFailures = 2;

/**
 * Replaces the older part of the context with the model's summary of it. A single entry records the
 * replacement, so it happens completely or not at all. If no summary can be made, the older part is left out; if this
 * work must not drop any context, the work is abandoned. So a context that is too long never blocks an agent.
 */
export async function compact(
  step: StepUnderWay,
  task: CompactionTask,
  deps: CompactDeps,
): Promise<RecordStep> {
  const { session, signal } = step;
  const maxTokens = Math.min(
    maxSummaryTokens,
    Math.max(200, Math.floor(task.requestLimits.maxTokens * summaryShare)),
  );
  try {
    const outcome = await callModel(summaryCall(step, task, maxTokens, deps.limits), deps, signal);
    if (outcome.kind === 'refused') return withoutSummary(session, task.plan);
    const { answer, usage } = outcome;
    const summary = truncateMiddle(answer.text.trim(), maxTokens * charactersPerToken);
    if (summary !== '')
      await storeFacts(step, summary, deps).catch((cause: unknown) => {
        throw new StepFailed(cause, usage);
      });
    const record =
      summary === ''
        ? withoutSummary(session, task.plan)
        : withSummary(session, task.plan, summary);
    return (spent) => withCall(record(spent), usage);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return afterFailure(step, task.plan, error);
  }
}

function summaryCall(
  { session: { agent, lease }, work }: StepUnderWay,
  { chosen, plan, requestLimits }: CompactionTask,
  maxOutputTokens: number,
  limits: ContextLimits,
): ModelCall {
  const { provider, id } = chosen.model;
  const { trust, turn, startedBy } = work;
  const transcript = transcriptOf(plan.older, requestLimits.maxTokens);
  const inputTokens = estimateTokens(compactionPrompt) + estimateTokens(transcript);
  return {
    chosen,
    planned: {
      agent,
      trust,
      friend: startedBy.nametag,
      turn,
      fence: lease.fence,
      provider,
      model: id,
      maxOutputTokens,
      estimateInput: async () => Math.min(inputTokens, requestLimits.maxTokens),
    },
    request: {
      systemPrompt: compactionPrompt.trim(),
      context: [{ role: 'user', text: transcript, files: [] }],
      tools: [],
      maxOutputTokens: outputLimitToSend(provider, maxOutputTokens, limits),
    },
    maxMs: maxSummaryMs,
  };
}

/**
 * If the transcript was too long, the next attempt shortens it further. A failure that is transient or not an AppError
 * is thrown, so that the step is retried, unless the work has already had `maxFailures` failures. A failure of an
 * aborted step is thrown, too. After any other failure the older part is left out.
 */
function afterFailure(
  { session, work, signal }: StepUnderWay,
  plan: CompactionPlan,
  failed: StepFailed,
): RecordStep {
  const { cause, call } = failed;
  if (cause instanceof TooLongError) return (spent) => withCall(afterOverflow(spent), call);
  if (signal.aborted || (isTransient(cause) && work.failures < maxFailures)) throw failed;
  const record = withoutSummary(session, plan);
  return (spent) => withCall(record(spent), call);
}

function isTransient(cause: unknown): boolean {
  return !(cause instanceof AppError) || classifyFailure(cause.code) === 'transient';
}

function withSummary(session: AgentSession, plan: CompactionPlan, summary: string): RecordStep {
  const event = toEvent(session, plan, summary);
  return (current) => ({ events: [event], current, keptTokens: plan.keptTokens });
}

/**
 * Leaves out the older part, except for an earlier summary in it; in a foreground agent, a note informs the person.
 * Abandons the work instead if it must not drop any of the context.
 */
function withoutSummary(session: AgentSession, plan: CompactionPlan): RecordStep {
  const event = toEvent(session, plan, fallbackSummary(plan.older));
  const note = session.agent.foreground ? [{ kind: 'note', text: leftOutNote() } as const] : [];
  return (current) =>
    mayDropContext(current, session)
      ? { events: [event, ...note], current, keptTokens: plan.keptTokens }
      : abandonForLackOfSpace(current.messageIds);
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
