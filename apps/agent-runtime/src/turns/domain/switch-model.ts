import type { AgentState, AgentStep, CurrentWork, HistoryEvent } from '../../agents';
import { nameOf, fallbackNote, type ChosenModel, type FailedModel } from '../../models';

/** A model has failed and another one of the list is asked: the turn goes on at once. */
export function switchModel(work: CurrentWork, failed: FailedModel): AgentStep {
  const failedModels = [...(work.failedModels ?? []), failed];
  return { events: [], current: { ...work, failedModels, switches: (work.switches ?? 0) + 1 } };
}

/** After a pause every model may be asked again. */
export function withAllModels(work: CurrentWork): CurrentWork {
  const { failedModels: _failed, ...rest } = work;
  return rest;
}

/** The note that goes before an answer of a model that stands in for another; once, until another one answers. */
export function fallbackNotes(
  { model, fallbackFor }: Pick<ChosenModel, 'model' | 'fallbackFor'>,
  { fallbackModel }: Pick<AgentState, 'fallbackModel'>,
): HistoryEvent[] {
  const name = nameOf(model);
  if (!fallbackFor || fallbackModel === name) return [];
  return [{ kind: 'note', text: fallbackNote(fallbackFor, model), fallbackModel: name }];
}
