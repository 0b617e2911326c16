import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { Handlers } from '@daycare/rpc';
import { requesterOf } from '../../spending/rpc/requester-of';
import type { Models } from '../build';
import {
  readDescription,
  readRole,
  toInUseMessage,
  toModelMessage,
  toProviderMessage,
} from './model-messages';

export type ModelUsecases = Pick<
  Models,
  | 'addProvider'
  | 'currency'
  | 'getModel'
  | 'listModels'
  | 'listProviders'
  | 'priceOf'
  | 'removeProvider'
  | 'setModel'
  | 'testModel'
>;

/** The RPCs that manage model providers, and choose, list and test models. */
export function modelHandlers(
  usecases: ModelUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  const { priceOf } = usecases;
  return {
    setModel: async (request, { caller }) => {
      const call = { ...request, requester: requesterOf(caller), role: readRole(request.role) };
      await usecases.setModel(call);
      return { current: toInUseMessage(await usecases.getModel(call), priceOf) };
    },
    getModel: async (request, { caller }) => {
      const call = { ...request, requester: requesterOf(caller), role: readRole(request.role) };
      return { current: toInUseMessage(await usecases.getModel(call), priceOf) };
    },
    listModels: async () => {
      const { models, providers } = await usecases.listModels();
      return {
        models: models.map((model) => toModelMessage(model, priceOf)),
        providers: [...providers],
        currency: usecases.currency,
      };
    },
    testModel: async ({ model }, { caller, signal }) =>
      usecases.testModel({ model, requester: requesterOf(caller), signal }),
    addModelProvider: async (request) => {
      await usecases.addProvider({ ...request, models: request.models.map(readDescription) });
      const providers = await usecases.listProviders();
      const added = providers.find(({ name, added: isAdded }) => isAdded && name === request.name);
      return { provider: added && toProviderMessage(added) };
    },
    listModelProviders: async () => {
      const providers = await usecases.listProviders();
      return { providers: providers.map(toProviderMessage) };
    },
    removeModelProvider: async (request) => {
      await usecases.removeProvider(request);
      return {};
    },
  };
}
