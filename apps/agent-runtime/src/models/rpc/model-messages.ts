import {
  AgentRole,
  ModelLevel,
  type Model as ModelMessage,
  type ModelInUse as ModelInUseMessage,
} from '@daycare/contracts/agent-runtime';
import { enumOf, findWord } from '@daycare/contracts/enum-words';
import type { AgentRole as DomainRole } from '../../agents';
import { nameOf, type ResolvedModel } from '../catalogue/model-entry';
import type { ModelInUse, ModelView } from '../usecases/get-model';

/** Undefined when it is not specified. */
export function readRole(role: AgentRole): DomainRole | undefined {
  return findWord(AgentRole, role);
}

export function toModelMessage(model: ResolvedModel, problem = ''): ModelMessage {
  const { contextWindow, maxOutputTokens, capabilities, prices } = model;
  return {
    name: nameOf(model),
    contextWindow,
    maxOutputTokens,
    ...capabilities,
    inputPriceMicros: prices.input,
    outputPriceMicros: prices.output,
    cachedInputPriceMicros: prices.cachedInput,
    problem,
  };
}

export function toInUseMessage({
  current,
  choices,
  level,
  settings,
}: ModelInUse): ModelInUseMessage {
  const toMessage = ({ model, problem }: ModelView): ModelMessage => toModelMessage(model, problem);
  return {
    model: toMessage(current),
    choices: choices.map(toMessage),
    level: enumOf(ModelLevel, level),
    settings: settings.map((setting) => ({
      level: enumOf(ModelLevel, setting.level),
      models: setting.models.map(nameOf),
    })),
  };
}
