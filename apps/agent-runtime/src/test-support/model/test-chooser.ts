import { ModelCatalogue } from '../../models/catalogue/model-catalogue';
import type { ModelProvider } from '../../models/model-provider';
import type { ModelChooser } from '../../models/usecases/choose-model';

/** Always chooses this provider, and never another one. */
export function chooserOf(provider: ModelProvider): ModelChooser {
  const name = { provider: provider.name, id: 'echo' };
  const model = new ModelCatalogue().resolve(name);
  return {
    choose: async () => ({ model, provider, standsInFor: undefined, hasOther: false }),
    succeeded: () => undefined,
    failed: () => undefined,
    current: async (agents) => agents.map(() => name),
  };
}
