import { AppError } from '@daycare/api';
import { raceAbort, withTimeout } from '@daycare/async';
import type { AgentStep, CallUsage } from '../../agents';
import {
  type ChosenModel,
  type ModelAnswer,
  type ModelChooser,
  type ModelRequest,
  TooLongError,
} from '../../models';
import type { MeterCalls, PlannedCall, RefusedCall } from '../../spending';
import type { DeltaFeed } from '../live/delta-feed';
import { StepFailed } from './step-failed';

export interface CallModelDeps {
  readonly models: Pick<ModelChooser, 'begin' | 'abandon' | 'succeeded'>;
  readonly meter: Pick<MeterCalls, 'begin'>;
}

export interface ModelCall {
  readonly chosen: ChosenModel;
  readonly planned: PlannedCall;
  readonly request: Omit<ModelRequest, 'model' | 'signal' | 'onDelta' | 'onRestart'>;
  /** Receives the answer while the model is writing it. */
  readonly deltas?: Pick<DeltaFeed, 'add' | 'restart'>;
  readonly maxMs: number;
}

export interface AnsweredCall {
  readonly kind: 'answered';
  readonly answer: ModelAnswer;
  readonly usage: CallUsage;
}

/**
 * Calls a model, unless a budget refuses the call. Notifies the chooser that the call begins and, later, that it was
 * answered, aborted, or refused as too long, which is not the model's failure. Throws StepFailed, with the usage, for a
 * failed call; `switchModelOrFail` notifies the chooser of the failure if the error reaches it.
 */
export async function callModel(
  { chosen, planned, request, deltas, maxMs }: ModelCall,
  { models, meter }: CallModelDeps,
  signal: AbortSignal,
): Promise<AnsweredCall | RefusedCall> {
  const metered = await meter.begin(planned);
  if (metered.kind === 'refused') return metered;
  models.begin(chosen);
  // How many characters arrived in this attempt, and in each earlier one that failed midway.
  let characters = 0;
  const charactersOfFailed: number[] = [];
  const onDelta = (text: string): void => {
    characters += text.length;
    deltas?.add(text);
  };
  const onRestart = (): void => {
    charactersOfFailed.push(characters);
    characters = 0;
    deltas?.restart();
  };
  const { provider, model } = chosen;
  try {
    const call = provider.answer({ ...request, model: model.id, signal, onDelta, onRestart });
    // A provider that ignores the signal must not keep the agent's slot occupied.
    const answer = await withTimeout(raceAbort(call, signal), maxMs, timedOut);
    const usage = await metered.answered(answer, charactersOfFailed);
    models.succeeded(chosen);
    return { kind: 'answered', answer, usage };
  } catch (cause) {
    if (signal.aborted) models.abandon(chosen);
    // The model has not failed: it would answer a shorter request.
    else if (cause instanceof TooLongError) models.succeeded(chosen);
    const usage = await metered.failed([...charactersOfFailed, characters]);
    throw new StepFailed(cause, usage, provider.name, chosen);
  }
}

function timedOut(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'the model provider took too long to answer');
}

/** Adds to a step the usage of the model call whose outcome it records. */
export function withCall(step: AgentStep, call: CallUsage | undefined): AgentStep {
  return call ? { ...step, call } : step;
}
