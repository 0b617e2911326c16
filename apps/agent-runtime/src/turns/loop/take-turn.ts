import { raceAbort } from '@daycare/async';
import { isSampled, startSpan, type StartedSpan } from '@daycare/messaging';
import type { CallUsage, CurrentWork } from '../../agents';
import type { ToolRegistry } from '../../tools';
import { openCalls } from '../domain/build-context';
import { endWaiting, type WaitLimits } from '../domain/failures/after-failure';
import { recordToolResults } from '../domain/turn-steps';
import { isReportToParent } from '../domain/background-report';
import { nextCalls } from '../domain/next-calls';
import type { ToolCallLimits } from '../domain/limit-tool-calls';
import { leaveUnfinished, stopAtTimeLimit, stopAtToolLimit, stopWork } from '../domain/stop-turn';
import type { AgentSession } from '../sessions/agent-session';
import { askModel } from './ask-model';
import { withCall } from '../context/call-model';
import { compact } from '../context/compact';
import type { ContextLimits } from '../domain/context/request-limits';
import { prepareCall, type PreparedCall, type PrepareCallDeps } from '../context/prepare-call';
import { withImages, type WithImagesDeps } from '../context/with-images';
import { orStepFailed, StepFailed } from '../context/step-failed';
import type { RecordStep, StepUnderWay } from '../context/step-under-way';
import { afterOverflow, maxOverflows, resetInTurn } from '../domain/context/context-overflow';
import { recordAnswer } from '../domain/outcomes/record-answer';
import type { TurnInterrupts } from '../interrupts/turn-interrupts';
import { TurnSignal } from '../interrupts/turn-signal';
import { InterruptionWatch, type InterruptionDeps } from '../interrupts/watch-interruption';
import type { LiveFeed } from '../../messaging';
import { TooLongError, type LoadedImage, type ModelChooser } from '../../models';
import type { MeterCalls } from '../../spending';
import { switchModelOrFail } from '../context/switch-model-or-fail';
import { fallbackNotes } from '../domain/switch-model';
import { makeShowProgress } from '../live/show-progress';
import { runTools, type RunToolsDeps } from '../tool-calls/run-tools';

export interface TurnLimits extends ToolCallLimits, WaitLimits {
  readonly maxToolIterations: number;
  /** How long a turn may work in total; failed steps and waits do not count. */
  readonly maxTurnMs: number;
}

export interface TurnControl {
  /** Aborts when this replica no longer serves the agent's shard. */
  readonly signal: AbortSignal;
  readonly interrupts: TurnInterrupts;
}

export interface TakeTurnDeps
  extends InterruptionDeps, WithImagesDeps, Omit<PrepareCallDeps, 'tools' | 'limits'> {
  /** Chooses the model for each call, and is notified of the call's outcome. */
  readonly models: Pick<ModelChooser, 'choose' | 'begin' | 'abandon' | 'succeeded' | 'failed'>;
  readonly tools: Pick<ToolRegistry, 'answer' | 'isReadOnly' | 'offer'>;
  readonly toolRetryMs?: RunToolsDeps['toolRetryMs'];
  readonly meter: Pick<MeterCalls, 'begin'>;
  readonly feed: Pick<LiveFeed, 'publishAgentEvent'>;
  readonly limits: TurnLimits & ContextLimits;
  readonly now: () => Date;
}

/**
 * Continues the agent's current work until it is done, deferred, stopped or abandoned. Every answer and every
 * result is recorded before the next step, so that a turn resumed after a crash repeats at most one model
 * request, or the tool calls of one step with the same request ids.
 */
export type TakeTurn = (session: AgentSession, control: TurnControl) => Promise<void>;

export function makeTakeTurn(deps: TakeTurnDeps): TakeTurn {
  return (session, control) => takeTurn(session, control, deps);
}

async function takeTurn(
  session: AgentSession,
  { signal, interrupts }: TurnControl,
  deps: TakeTurnDeps,
): Promise<void> {
  // If the beginning of the turn cannot be stored, its result cannot be stored either.
  const stop = new TurnSignal(signal, session.failed);
  const watch = new InterruptionWatch(session, interrupts, deps, () => stop.stop());
  const span = startTurnSpan(session.state.current);
  let stoppedCall: CallUsage | undefined;
  try {
    for (let work = session.state.current; work && !work.notBefore; work = session.state.current) {
      const interruption = await watch.find();
      if (interruption)
        return await session.commit(withCall(stopWork(work, interruption), stoppedCall));
      const traced = span ? { ...work, traceparent: span.traceparent } : work;
      stoppedCall = await takeTimedStep(session, traced, deps, { lost: signal, stop });
    }
  } finally {
    span?.end();
    stop.release();
    watch.release();
  }
}

/** Starts the parent span of the turn's model and tool calls; undefined when the trace is not sampled. */
function startTurnSpan(work: CurrentWork | undefined): StartedSpan | undefined {
  return isSampled(work?.traceparent)
    ? startSpan('take turn', 'consumer', work?.traceparent)
    : undefined;
}

interface StepSignals {
  /** Aborts when this replica no longer serves the agent's shard: another replica may continue the turn. */
  readonly lost: AbortSignal;
  /** Aborts when the step is no longer needed, for any reason. */
  readonly stop: TurnSignal;
}

/**
 * Takes one step within the remaining time of the turn. If a model call was stopped, returns its usage, which
 * is not recorded yet.
 */
async function takeTimedStep(
  session: AgentSession,
  work: CurrentWork,
  deps: TakeTurnDeps,
  { lost, stop }: StepSignals,
): Promise<CallUsage | undefined> {
  const { maxTurnMs } = deps.limits;
  const startedMs = deps.now().getTime();
  const withTimeSpent = (): CurrentWork => {
    const spentMs = work.spentMs + Math.max(0, deps.now().getTime() - startedMs);
    return { ...work, spentMs };
  };
  const endLimit = stop.abortAfter(maxTurnMs - work.spentMs);
  try {
    const record = await takeStep({ session, work, signal: stop.signal }, deps);
    await session.commit(record(endWaiting(withTimeSpent())));
    return undefined;
  } catch (error) {
    // The new holder of the lease continues the turn; a step that was not stored has not happened.
    session.failed.throwIfAborted();
    if (lost.aborted || !(error instanceof StepFailed)) throw error;
    if (stop.isTimeOver)
      await session.commit(withCall(stopAtTimeLimit(withTimeSpent()), error.call));
    else if (stop.isStopped) return error.call;
    else await switchModelOrFail(session, work, deps, error);
    return undefined;
  } finally {
    endLimit();
  }
}

/** Takes the next step of the turn. */
async function takeStep(step: StepUnderWay, deps: TakeTurnDeps): Promise<RecordStep> {
  const { session, work, signal } = step;
  const calls = nextCalls(openCalls(session.context), (name) => deps.tools.isReadOnly(name));
  if (calls.length > 0) {
    const { tools, toolRetryMs, feed } = deps;
    const runDeps = { tools, toolRetryMs, showProgress: makeShowProgress(session, feed) };
    const results = await orStepFailed(() => runTools(session.agent, work, calls, runDeps, signal));
    const isReport = results.some((result) => isReportToParent(session.agent, result, work.trust));
    return (spent) =>
      recordToolResults(isReport ? { ...spent, hasReported: true } : spent, results);
  }
  if (work.iterations >= deps.limits.maxToolIterations) return stopAtToolLimit;
  if (work.spentMs >= deps.limits.maxTurnMs) return stopAtTimeLimit;
  const chosen = await orStepFailed(() => deps.models.choose(session.agent, work.failedModels));
  const next = await orStepFailed(() =>
    raceAbort(prepareCall(session, work, chosen, deps), signal),
  );
  if (next.kind === 'compact') return compact(step, next, deps);
  if (next.kind === 'reset') return (spent) => resetInTurn(spent, session);
  const { call } = next;
  return withImages(session.agent, call.shownImages, deps, signal, (images) =>
    answer(step, call, images, deps),
  );
}

async function answer(
  step: StepUnderWay,
  call: PreparedCall,
  images: ReadonlyMap<string, LoadedImage>,
  deps: TakeTurnDeps,
): Promise<RecordStep> {
  const { session, work } = step;
  try {
    const outcome = await askModel(step, call, images, deps);
    if (outcome.kind === 'refused') return (spent) => leaveUnfinished(spent, outcome.note);
    const notes = fallbackNotes(call.chosen, session.state);
    return (spent) => {
      const recorded = recordAnswer(spent, session.agent, outcome, deps.limits);
      return withCall({ ...recorded, events: [...notes, ...recorded.events] }, outcome.usage);
    };
  } catch (error) {
    const isTooLong = error instanceof StepFailed && error.cause instanceof TooLongError;
    if (!isTooLong || (work.overflows ?? 0) >= maxOverflows) throw error;
    // Neither the model nor the item has failed: the context is shortened, and the model is called again.
    return (spent) => withCall(afterOverflow(spent), error.call);
  }
}
