import {
  AgentRole,
  ModelLevel,
  type Model as ModelMessage,
  type ModelDescription as DescriptionMessage,
  type ModelInUse as ModelInUseMessage,
  type ModelProvider as ProviderMessage,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import { readWord } from '@daycare/rpc';
import type { AgentRole as DomainRole } from '../../agents';
import { nameOf, type ModelPrices, type ResolvedModel } from '../catalogue/model-entry';
import type { DescribedModel } from '../domain/added-providers';
import type { ProviderView } from '../usecases/list-providers';
import type { ModelInUse, ModelView } from '../usecases/get-model';

/** Returns the price of a model, by `provider/model`. */
export type PriceOf = (model: string) => ModelPrices | undefined;

/** Returns undefined when the role is not specified. */
export function readRole(role: AgentRole): DomainRole | undefined {
  return readWord(AgentRole, role, 'role');
}

export function toModelMessage(model: ResolvedModel, priceOf: PriceOf, problem = ''): ModelMessage {
  const { contextWindow, maxOutputTokens, capabilities } = model;
  const prices = priceOf(nameOf(model));
  return {
    name: nameOf(model),
    contextWindow,
    maxOutputTokens,
    ...capabilities,
    inputPriceMicros: prices?.input ?? 0,
    outputPriceMicros: prices?.output ?? 0,
    cachedInputPriceMicros: prices?.cachedInput ?? 0,
    priceKnown: prices !== undefined,
    problem,
  };
}

export function toInUseMessage(
  { current, choices, level, settings }: ModelInUse,
  priceOf: PriceOf,
): ModelInUseMessage {
  const toMessage = ({ model, problem }: ModelView): ModelMessage =>
    toModelMessage(model, priceOf, problem);
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

export function toProviderMessage({ models, ...provider }: ProviderView): ProviderMessage {
  return { ...provider, models: models.map(toDescriptionMessage) };
}

function toDescriptionMessage(model: DescribedModel): DescriptionMessage {
  const { id, contextWindow, maxOutputTokens, capabilities, prices } = model;
  const price = prices && {
    inputMicros: prices.input,
    outputMicros: prices.output,
    cachedInputMicros: prices.cachedInput,
  };
  return { id, contextWindow, maxOutputTokens, ...capabilities, price };
}

/** Reads a description, without its unset fields. */
export function readDescription(message: DescriptionMessage): DescribedModel {
  const { id, contextWindow, maxOutputTokens, price, ...flags } = message;
  const { images, tools, parallelTools, reasoning } = flags;
  const capabilities = { images, tools, parallelTools, reasoning };
  return {
    id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    capabilities: Object.fromEntries(
      Object.entries(capabilities).filter(([, value]) => value !== undefined),
    ),
    ...(price ? { prices: readPrice(price) } : {}),
  };
}

function readPrice(price: NonNullable<DescriptionMessage['price']>): ModelPrices {
  const { inputMicros, outputMicros, cachedInputMicros } = price;
  return { input: inputMicros, output: outputMicros, cachedInput: cachedInputMicros };
}
