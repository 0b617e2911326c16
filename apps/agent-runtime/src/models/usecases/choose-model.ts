import { AppError, toAppError } from '@daycare/api';
import type { Agent } from '../../agents';
import type { ModelCatalogue } from '../catalogue/model-catalogue';
import { nameOf, type ModelName, type ResolvedModel } from '../catalogue/model-entry';
import { pickModel, type FailedModel, type PickedModel } from '../domain/pick-model';
import type { ModelProvider } from '../providers/model-provider';
import type { Providers } from '../providers/vendors/provider-registry';
import type { ModelHealth } from './model-health';
import { settingsOf, type ReadSettings } from './model-settings';

/** The model for an agent's next call, with its provider. */
export interface ChosenModel extends PickedModel {
  readonly provider: ModelProvider;
  /** The list from which the model was chosen, as a string that also changes when a provider in it is replaced. */
  readonly list: string;
}

export interface ChooseModelDeps {
  readonly read: ReadSettings;
  readonly catalogue: ModelCatalogue;
  readonly providers: Providers;
  readonly health: ModelHealth;
}

/** Chooses models for agents' turns, taking the outcomes of earlier calls into account. */
export interface ModelChooser {
  /**
   * Call it before each model call, with the models that have failed in the turn. Throws
   * FAILED_PRECONDITION when no model in the agent's list is configured.
   */
  choose(agent: Agent, failed?: readonly FailedModel[]): Promise<ChosenModel>;
  /** Call it right before calling the model; then report the outcome with one of the next three methods. */
  begin(chosen: ChosenModel): void;
  /** For a call that was aborted, which says nothing about the model. */
  abandon(chosen: ChosenModel): void;
  succeeded(chosen: ChosenModel): void;
  /** Returns the failure to add to the turn when another model should be used; undefined otherwise. */
  failed(chosen: ChosenModel, error: unknown): FailedModel | undefined;
  /** Returns the list that the agent's next call chooses from, as in `ChosenModel`. */
  listOf(agent: Agent): Promise<string>;
  /** Returns the agents' current models, in the same order. */
  current(agents: readonly Agent[]): Promise<readonly ModelName[]>;
}

export function makeModelChooser(deps: ChooseModelDeps): ModelChooser {
  const { read, health } = deps;
  return {
    async choose(agent, failed = []) {
      const [setting] = await settingsOf([agent], read);
      const picked = pickModel(candidatesOf(setting?.models ?? [], deps), failed);
      const provider = picked && deps.providers.get(picked.model.provider);
      if (!picked || !provider) throw noModel(setting?.models ?? []);
      return { ...picked, provider, list: listText(setting?.models ?? [], deps) };
    },
    begin: ({ model }) => health.beginTrial(model),
    abandon: ({ model }) => health.abandonTrial(model),
    succeeded: ({ model }) => health.succeeded(model),
    failed({ model, hasOther }, error) {
      const reason = health.failed(model, error);
      if (reason === undefined || !hasOther) return undefined;
      const { code, details } = toAppError(error);
      const { retryAfterMs } = details;
      const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
      return { model: nameOf(model), reason, code, ...pause };
    },
    async listOf(agent) {
      const [setting] = await settingsOf([agent], read);
      return listText(setting?.models ?? [], deps);
    },
    async current(agents) {
      const settings = await settingsOf(agents, read);
      return settings.map(({ models }) => currentOf(models, deps));
    },
  };
}

/** Returns the model for the next call; the first in the list when none can be used. */
export function currentOf(models: readonly ModelName[], deps: ChooseModelDeps): ResolvedModel {
  const candidates = candidatesOf(models, deps);
  const picked = pickModel(candidates, [])?.model ?? candidates[0]?.model;
  if (!picked) throw new Error('a list of models is empty');
  return picked;
}

export function candidatesOf(
  models: readonly ModelName[],
  { catalogue, providers, health }: ChooseModelDeps,
) {
  return catalogue.resolveModels(models).map((model) => ({
    model,
    isConfigured: providers.has(model.provider),
    obstacle: health.obstacleOf(model),
  }));
}

/** Work that waits because the models in its list have failed is retried when this string changes. */
function listText(
  models: readonly ModelName[],
  { providers }: Pick<ChooseModelDeps, 'providers'>,
): string {
  const toText = (model: ModelName): string => {
    const version = providers.versionOf?.(model.provider) ?? '';
    return version === '' ? nameOf(model) : `${nameOf(model)}#${version}`;
  };
  return models.map(toText).join(', ');
}

function namesOf(models: readonly ModelName[]): string {
  return models.map(nameOf).join(', ');
}

function noModel(models: readonly ModelName[]): AppError {
  return new AppError(
    'FAILED_PRECONDITION',
    `none of this agent's models has a configured provider (${namesOf(models)}); choose another model with "daycare model set"`,
  );
}
