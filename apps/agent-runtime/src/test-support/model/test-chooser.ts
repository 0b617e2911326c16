import { ModelCatalogue } from '../../models/catalogue/model-catalogue';
import type { ModelProvider } from '../../models/providers/model-provider';
import type { ModelChooser } from '../../models/usecases/choose-model';

/** Always chooses this provider; its model has a large context window unless a size is given. */
export function chooserOf(provider: ModelProvider, contextWindow = 200_000): ModelChooser {
  const name = { provider: provider.name, id: 'echo' };
  const limits = { contextWindow, maxOutputTokens: 1_000 };
  const model = { ...new ModelCatalogue().resolve(name), ...limits };
  const list = `${name.provider}/${name.id}`;
  return {
    choose: async () => ({ model, provider, list, fallbackFor: undefined, hasOther: false }),
    listOf: async () => list,
    begin: () => undefined,
    abandon: () => undefined,
    succeeded: () => undefined,
    failed: () => undefined,
    current: async (agents) => agents.map(() => name),
  };
}
