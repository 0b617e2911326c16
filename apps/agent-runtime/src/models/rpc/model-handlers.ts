import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { Handlers } from '@daycare/rpc';
import { askerOf } from '../../spending';
import type { Models } from '../build';
import { readRole, toInUseMessage, toModelMessage } from './model-messages';

export type ModelUsecases = Pick<
  Models,
  'currency' | 'getModel' | 'listModels' | 'setModel' | 'testModel'
>;

/** The RPCs about which models agents use. */
export function modelHandlers(
  usecases: ModelUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    setModel: async (request, { caller }) => {
      const call = { ...request, asker: askerOf(caller), role: readRole(request.role) };
      await usecases.setModel(call);
      return { current: toInUseMessage(await usecases.getModel(call)) };
    },
    getModel: async (request, { caller }) => {
      const call = { ...request, asker: askerOf(caller), role: readRole(request.role) };
      return { current: toInUseMessage(await usecases.getModel(call)) };
    },
    listModels: async () => {
      const { models, providers } = usecases.listModels();
      return {
        models: models.map((model) => toModelMessage(model)),
        providers: [...providers],
        currency: usecases.currency,
      };
    },
    testModel: async ({ model }, { caller, signal }) =>
      usecases.testModel({ model, asker: askerOf(caller), signal }),
  };
}
