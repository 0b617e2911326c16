import { classifyFailure } from '@daycare/api';
import type { AgentState, AgentStep, CurrentWork, HistoryEvent } from '../../agents';
import { nameOf, fallbackNote, type ChosenModel, type FailedModel } from '../../models';
import type { StepFailure } from './failures/after-failure';

/** Records that a model has failed: the turn continues immediately with another one from the list. */
export function switchModel(work: CurrentWork, failed: FailedModel): AgentStep {
  const failedModels = [...(work.failedModels ?? []), failed];
  return { events: [], current: { ...work, failedModels, switches: (work.switches ?? 0) + 1 } };
}

/**
 * Returns the failure that decides what happens to work for which no model is usable: the transient failure with the
 * shortest pause, or the last failure if none is transient. A fallback that can never answer does not mean that the
 * models before it cannot.
 */
export function decidingFailure(
  last: StepFailure,
  { failedModels = [] }: Pick<CurrentWork, 'failedModels'>,
): StepFailure {
  const earlier = failedModels.map(({ model, ...failure }) => ({
    ...failure,
    source: providerOf(model),
  }));
  const transient = [...earlier, last].filter(({ code }) => classifyFailure(code) === 'transient');
  const [shortest] = transient.sort((a, b) => pauseOf(a) - pauseOf(b));
  return shortest ?? last;
}

function pauseOf({ retryAfterMs = 0 }: StepFailure): number {
  return retryAfterMs;
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'));
}

/** Lets the work use every model again when it continues after a pause. */
export function withAllModels(work: CurrentWork): CurrentWork {
  const { failedModels: _failed, ...rest } = work;
  return rest;
}

/** Returns the note to show before a fallback's answer; none while the same fallback keeps answering. */
export function fallbackNotes(
  { model, fallbackFor }: Pick<ChosenModel, 'model' | 'fallbackFor'>,
  { fallbackModel }: Pick<AgentState, 'fallbackModel'>,
): HistoryEvent[] {
  const name = nameOf(model);
  if (!fallbackFor || fallbackModel === name) return [];
  return [{ kind: 'note', text: fallbackNote(fallbackFor, model), fallbackModel: name }];
}
